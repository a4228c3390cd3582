/** The list of all changes of an upload, as objects of gzipped lines: {"change":"added","loc":"https://…"}. */
import { gzipSync } from 'node:zlib';
import type { ChangeKind } from './comparison.ts';

/** The API reads a whole part into memory. */
const MAX_PART_LINES = 50_000;
const MAX_PART_LENGTH = 2 * 1024 * 1024;

type StorePart = (n: number, bytes: Uint8Array<ArrayBuffer>) => Promise<void>;

export class ChangeParts {
  readonly #store: StorePart;
  #text = '';
  #lines = 0;
  #parts = 0;

  /** `store`: stores part `n`, from 1. */
  constructor(store: StorePart) {
    this.#store = store;
  }

  /** At most some thousand at a time. */
  async add(change: ChangeKind, locs: readonly string[]): Promise<void> {
    for (const loc of locs) this.#text += `${JSON.stringify({ change, loc })}\n`;
    this.#lines += locs.length;
    if (this.#lines >= MAX_PART_LINES || this.#text.length >= MAX_PART_LENGTH) await this.#flush();
  }

  /** Returns the number of parts. */
  async end(): Promise<number> {
    if (this.#lines > 0) await this.#flush();
    return this.#parts;
  }

  async #flush(): Promise<void> {
    // Not the view of a pool: it is transferred to the main thread.
    const bytes = Uint8Array.from(gzipSync(this.#text, { level: 1 }));
    this.#text = '';
    this.#lines = 0;
    await this.#store(++this.#parts, bytes);
  }
}
