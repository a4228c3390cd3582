/** The list of all changes of an upload, as objects of gzipped lines: {"change":"added","loc":"https://…"}. */
import { LineParts } from '../../platform/gzip/line-parts.ts';
import type { ChangeKind } from '../entries/entry-kernel.ts';

export class ChangeParts extends LineParts {
  /** Adds changed URLs, some 1,000 at most in one call. */
  async addChanges(change: ChangeKind, locs: readonly string[]): Promise<void> {
    await this.add(changeLines(change, locs), locs.length);
  }
}

export function changeLines(change: ChangeKind, locs: readonly string[]): string {
  return locs.map((loc) => `${JSON.stringify({ change, loc })}\n`).join('');
}
