/** Stores a long list of lines as gzip objects, each of which fits into memory. */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { type ObjectStorage, readObject } from '../storage/object-storage.ts';

/** The limits of a part. A reader of the list holds a whole part in memory. */
const MAX_PART_LINES = 50_000;
const MAX_PART_LENGTH = 2 * 1024 * 1024;
/** We write parts of a few megabytes, so a part with more bytes than this is damaged. */
const MAX_PART_BYTES = 64 * 1024 * 1024;

export class LineParts {
  readonly #store: (n: number, bytes: Uint8Array<ArrayBuffer>) => Promise<void>;
  #text = '';
  #lines = 0;
  #parts = 0;

  /** `store`: stores part `n`, from 1. */
  constructor(store: (n: number, bytes: Uint8Array<ArrayBuffer>) => Promise<void>) {
    this.#store = store;
  }

  /** `text`: whole lines, at most some thousand at a time. */
  async add(text: string, lines: number): Promise<void> {
    this.#text += text;
    this.#lines += lines;
    if (this.#lines >= MAX_PART_LINES || this.#text.length >= MAX_PART_LENGTH) await this.#flush();
  }

  /** Stores the remaining lines. Returns the number of parts. */
  async end(): Promise<number> {
    if (this.#lines > 0) await this.#flush();
    return this.#parts;
  }

  async #flush(): Promise<void> {
    const text = this.#text;
    this.#text = '';
    this.#lines = 0;
    const n = ++this.#parts;
    // Copy the bytes: the buffer is transferred to a thread, so it must not be a view of Node's pool.
    await this.#store(n, Uint8Array.from(await promisify(gzip)(text, { level: 1 })));
  }
}

/** Yields whole lines. Reads each part as a whole, so a slow consumer holds no connection. Throws if a part is missing or damaged. */
export async function* readLineParts(
  storage: Pick<ObjectStorage, 'get'>,
  keyOf: (n: number) => string,
  parts: number,
): AsyncGenerator<Buffer, void, undefined> {
  for (let n = 1; n <= parts; n++) {
    const stored = await readObject(storage, keyOf(n));
    if (stored === undefined) throw new Error(`object ${keyOf(n)} is missing`);
    yield await inflateLines(stored);
  }
}

/** The lines of a part. Throws if it is damaged. */
export function inflateLines(part: Buffer): Promise<Buffer> {
  return promisify(gunzip)(part, { maxOutputLength: MAX_PART_BYTES });
}
