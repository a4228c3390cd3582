/** Names records in violations, for forms with one record per line. */
import { memberPath } from '../../../core/sitemap/violation.ts';
import type { Batch } from '../fragment.ts';
import type { RecordNames } from './batch-entries.ts';
import { RecordLines } from './record-lines.ts';

export class LineNames implements RecordNames {
  readonly #lines: RecordLines;

  constructor(batch: Batch) {
    this.#lines = new RecordLines(batch);
  }

  lineOf(i: number): number {
    return this.#lines.lineOf(i);
  }

  fieldName(path: readonly PropertyKey[]): string {
    return path.length === 0 ? 'line' : memberPath(path);
  }
}
