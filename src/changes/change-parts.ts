/** The list of all changes of an upload, as objects of gzipped lines: {"change":"added","loc":"https://…"}. */
import { LineParts } from '../platform/gzip/line-parts.ts';
import type { ChangeKind } from './comparison.ts';

export class ChangeParts extends LineParts {
  /** At most some thousand at a time. */
  async addChanges(change: ChangeKind, locs: readonly string[]): Promise<void> {
    await this.add(locs.map((loc) => `${JSON.stringify({ change, loc })}\n`).join(''), locs.length);
  }
}
