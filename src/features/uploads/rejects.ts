/**
 * Stores the list of violations of an upload that goes on without its invalid entries: lines like
 * {"index":7,"field":"urls[7].loc","value":"x","message":"must be …"}, in document order. Memory stays flat. `garbage` lists the
 * objects before their first byte is stored, so a list without a call of `keep` is deleted in time.
 */
import type { Violation } from '../../core/sitemap/violation.ts';
import { LineParts } from '../../platform/gzip/line-parts.ts';
import { writeJson } from '../../platform/json/write-json.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { ObjectStorage } from '../../platform/storage/object-storage.ts';
import { addGarbage } from '../sites/garbage-store.ts';
import { rejectsKey, rejectsPrefix } from '../sites/rejects.ts';
import { insertRejects } from './rejects-store.ts';
import { placeOf } from './violation-kinds.ts';

const MAX_LINES = 100_000;
/** A list is kept for 24 hours. Every upload takes less time, so its list still exists when `keep` is called. */
const KEEP_MS = 24 * 3_600_000;

export interface RejectsOptions {
  readonly database: Database;
  readonly storage: Pick<ObjectStorage, 'putNew'>;
}

export class Rejects {
  readonly #options: RejectsOptions;
  readonly #accountId: string;
  readonly #prefix: string;
  readonly #parts: LineParts;
  #lines = 0;
  #gzipBytes = 0;

  /** `uploadId`: the first id of the upload. The upload may get another id later. */
  constructor(options: RejectsOptions, accountId: string, uploadId: string) {
    this.#options = options;
    this.#accountId = accountId;
    this.#prefix = rejectsPrefix(accountId, uploadId);
    this.#parts = new LineParts((n, bytes) => this.#store(n, bytes));
  }

  /** Violations beyond the first MAX_LINES are not listed. */
  async add(violations: readonly Violation[]): Promise<void> {
    for (const violation of violations.slice(0, MAX_LINES - this.#lines)) {
      this.#lines += 1;
      await this.#parts.add(`${lineOf(violation)}\n`, 1);
    }
  }

  /** Stores the rest of the list, and lets the account read it for a day. Call this once. */
  async keep(uploadId: string): Promise<void> {
    if (this.#lines === 0) return;
    const parts = await this.#parts.end();
    const list = { uploadId, accountId: this.#accountId, prefix: this.#prefix, parts };
    await insertRejects(this.#options.database, { ...list, gzipBytes: this.#gzipBytes }, KEEP_MS);
  }

  async #store(n: number, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    if (n === 1) await addGarbage(this.#options.database, [this.#prefix], KEEP_MS);
    await this.#options.storage.putNew(rejectsKey(this.#prefix, n), [bytes]);
    this.#gzipBytes += bytes.length;
  }
}

/** In the form JSON, `line` is undefined, and JSON leaves it out. */
function lineOf(violation: Violation): string {
  const { line, field, value, message } = violation;
  return writeJson({ line, index: placeOf(violation).index, field, value, message });
}
