/**
 * A stream that can be read again: its bytes are also written to a temporary file. The name of the file is deleted as soon
 * as the file is open, so the file is gone when the process ends for any reason.
 */
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RepeatableBody } from '../http/connection.ts';

const CHUNK_BYTES = 256 * 1024;

interface Piece {
  readonly from: number;
  readonly bytes: Uint8Array;
}

export class Spool implements RepeatableBody {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #onFull: () => void;
  #file: FileHandle | undefined;
  /** The newest piece, still in memory. */
  #newest: Piece = { from: 0, bytes: Buffer.alloc(0) };
  #length = 0;
  #isEnded = false;
  /** The error of the source. Keep it: a source that has failed may report its end afterwards, like a whole source. */
  #failure: { readonly error: unknown } | undefined;
  #isFull = false;
  #isClosed = false;
  #writing: Promise<void> = Promise.resolve();
  /** Readers share the next piece, because the reader of a lost connection may still wait for this piece. */
  #pulling: Promise<void> | undefined;

  /** `onFull`: called if the file cannot be written. Then the stream goes on, but cannot be read again. */
  constructor(source: AsyncIterable<Uint8Array>, onFull: () => void) {
    this.#source = source[Symbol.asyncIterator]();
    this.#onFull = onFull;
  }

  canOpen(): boolean {
    return !this.#isFull;
  }

  async *open(): AsyncGenerator<Uint8Array> {
    for (let at = 0; ; ) {
      if (at === this.#length) {
        if (this.#failure !== undefined) throw this.#failure.error;
        if (this.#isEnded) return;
        this.#pulling ??= this.#pull().finally(() => {
          this.#pulling = undefined;
        });
        await this.#pulling;
        continue;
      }
      const bytes = at === this.#newest.from ? this.#newest.bytes : await this.#read(at);
      at += bytes.length;
      yield bytes;
    }
  }

  /** Call it when no attempt follows. */
  async close(): Promise<void> {
    // If the source is under way, it may still bring a piece.
    this.#isClosed = true;
    await this.#writing;
    await this.#file?.close();
  }

  async #pull(): Promise<void> {
    // At most one write is under way, so memory stays flat.
    await this.#writing;
    const { done, value } = await this.#next();
    if (done) {
      this.#isEnded = true;
      return;
    }
    this.#newest = { from: this.#length, bytes: value };
    this.#length += value.length;
    if (!this.#isFull && !this.#isClosed) this.#writing = this.#write(this.#newest);
  }

  async #next(): Promise<IteratorResult<Uint8Array>> {
    try {
      return await this.#source.next();
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  async #write({ from, bytes }: Piece): Promise<void> {
    try {
      this.#file ??= await openNameless();
      const { bytesWritten } = await this.#file.write(bytes, 0, bytes.length, from);
      // A disk that is nearly full takes a part, and the rest would be read as zeros, or not at all.
      if (bytesWritten < bytes.length) throw new Error('The disk is full.');
    } catch {
      this.#isFull = true;
      this.#onFull();
    }
  }

  async #read(at: number): Promise<Uint8Array> {
    await this.#writing;
    const wanted = Math.min(CHUNK_BYTES, this.#length - at);
    const { buffer, bytesRead } = await this.#file!.read(Buffer.allocUnsafe(wanted), 0, wanted, at);
    if (bytesRead === 0) throw new Error('The temporary file lost its content.');
    return buffer.subarray(0, bytesRead);
  }
}

async function openNameless(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'waypost-'));
  try {
    return await open(join(folder, 'input'), 'wx+', 0o600);
  } finally {
    await rm(folder, { recursive: true });
  }
}
