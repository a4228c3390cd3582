/**
 * Keeps a body that must be read from its end, such as a Parquet file. The body is in the store in pieces, under a prefix that is in
 * `garbage` before the first piece is stored. A body of one piece stays in memory. So memory stays flat, and no process needs a local disk.
 */
import type { NewId } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/log.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { Refusal } from '../../../platform/refusal.ts';
import { type ObjectStorage, readBody } from '../../../platform/storage/object-storage.ts';
import { addGarbage, rescueFromGarbage } from '../../sites/garbage-store.ts';
import { bodyPieceKey, uploadPrefix } from '../../sites/site.ts';

export const PIECE_BYTES = 4 * 1024 * 1024;
const MAX_BODY_BYTES = 2 * 1024 * 1024 * 1024;
/** The time after which the prefix may be collected. Every upload takes less time. */
const ABANDONED_AFTER_MS = 24 * 3_600_000;

export interface SpoolOptions {
  readonly database: Database;
  readonly storage: Pick<ObjectStorage, 'putNew' | 'get' | 'deleteMany'>;
  readonly newId: NewId;
  readonly log: Log;
}

export class SpooledBody implements AsyncDisposable {
  readonly #options: SpoolOptions;
  readonly #id: string;
  readonly #keys: string[] = [];
  /** The bytes after the pieces in the store. */
  #last = Buffer.allocUnsafeSlow(0);
  #hasFailed = false;

  private constructor(options: SpoolOptions) {
    this.#options = options;
    this.#id = options.newId('upload');
  }

  /** Takes the whole body. The caller disposes of it. Throws Refusal PAYLOAD_TOO_LARGE, and the errors of the body. */
  static async take(options: SpoolOptions, body: AsyncIterable<Uint8Array>): Promise<SpooledBody> {
    const spooled = new SpooledBody(options);
    try {
      await spooled.#take(body);
      return spooled;
    } catch (error) {
      await spooled[Symbol.asyncDispose]();
      throw error;
    }
  }

  get bytes(): number {
    return this.#keys.length * PIECE_BYTES + this.#last.length;
  }

  /** Reads the bytes from `start` to `end`, which must be within the body, into memory of their own. */
  async read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    if (!(start >= 0 && start <= end && end <= this.bytes))
      throw new RangeError(`no bytes ${start} to ${end}`);
    const bytes = new Uint8Array(end - start);
    for (let at = start; at < end; ) {
      const n = Math.floor(at / PIECE_BYTES);
      const offset = at - n * PIECE_BYTES;
      const length = Math.min(end - at, PIECE_BYTES - offset);
      bytes.set(await this.#readPiece(n, offset, length), at - start);
      at += length;
    }
    return bytes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#keys.length === 0) return;
    const { database, storage, log } = this.#options;
    try {
      await storage.deleteMany(this.#keys);
      // The store may still complete a put that timed out. After a failed put, the prefix stays in `garbage` for the sweep.
      if (!this.#hasFailed) await rescueFromGarbage(database, uploadPrefix(this.#id));
    } catch (err) {
      log.warn({ err, uploadId: this.#id }, 'pieces of a body left to the sweep');
    }
  }

  async #take(body: AsyncIterable<Uint8Array>): Promise<void> {
    let chunks: Uint8Array[] = [];
    let length = 0;
    for await (let chunk of body) {
      if (this.bytes + length + chunk.length > MAX_BODY_BYTES) {
        throw new Refusal('PAYLOAD_TOO_LARGE', `A Parquet file may have ${MAX_BODY_BYTES} bytes at most.`);
      }
      // Store a full piece only when more bytes follow, so that the end of the body is in memory.
      while (length + chunk.length > PIECE_BYTES) {
        chunks.push(chunk.subarray(0, PIECE_BYTES - length));
        await this.#store(chunks);
        chunk = chunk.subarray(PIECE_BYTES - length);
        chunks = [];
        length = 0;
      }
      chunks.push(chunk);
      length += chunk.length;
    }
    this.#last = Buffer.concat(chunks, length);
  }

  async #store(parts: readonly Uint8Array[]): Promise<void> {
    const { database, storage } = this.#options;
    if (this.#keys.length === 0) await addGarbage(database, [uploadPrefix(this.#id)], ABANDONED_AFTER_MS);
    const key = bodyPieceKey(this.#id, this.#keys.length + 1);
    this.#keys.push(key);
    try {
      await storage.putNew(key, parts);
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  }

  async #readPiece(n: number, offset: number, length: number): Promise<Uint8Array> {
    const key = this.#keys[n];
    if (key === undefined) return this.#last.subarray(offset, offset + length);
    const object = await this.#options.storage.get(key, { offset, length });
    if (object === undefined) throw new Error(`piece ${key} of a body is gone`);
    return readBody(object, key);
  }
}
