/**
 * The only door to object storage: every wait has a deadline, every failure becomes StoreUnavailable and is
 * reported. An absence stays an absence.
 */
import { Readable } from 'node:stream';
import type { z } from 'zod';
import { withinDeadline } from '../platform/deadline.ts';
import type { ByteRange, ObjectReader, StoredObject } from '../platform/object-storage.ts';

/** The store cannot say now; the answer is 503, or what we still have. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** A small object, read whole. */
export interface ReadObject {
  readonly bytes: Buffer;
  /** As in `StoredObject`. */
  readonly version: string | undefined;
}

export interface GuardedStorageOptions {
  readonly storage: ObjectReader;
  readonly timeoutMs: number;
  readonly report: (failure: StoreUnavailable) => void;
}

export class GuardedStorage {
  readonly #storage: ObjectReader;
  readonly #timeoutMs: number;
  readonly #report: (failure: StoreUnavailable) => void;

  constructor({ storage, timeoutMs, report }: GuardedStorageOptions) {
    this.#storage = storage;
    this.#timeoutMs = timeoutMs;
    this.#report = report;
  }

  /** Opens an object; each wait for more of its body has the deadline. Destroying the body frees the object. */
  async open(key: string, range?: ByteRange): Promise<StoredObject | undefined> {
    const object = await this.#opened(key, this.#storage.get(key, range));
    if (object === undefined) return undefined;
    const chunks = this.#read(key, object.body, () => body.destroyed);
    const body: Readable = Readable.from(chunks, { objectMode: false });
    // A generator that was never started cleans nothing up, so the outer stream takes the inner one with it.
    body.once('close', () => object.body.destroy());
    return { ...object, body };
  }

  /** Reads a small object whole, within the deadline. */
  async read(key: string): Promise<Buffer | undefined> {
    const object = await this.#opened(key, this.#storage.get(key));
    return object && this.#readWhole(key, object);
  }

  /** The same, where nothing is read if the object is still in this version. */
  async readIfChanged(
    key: string,
    version: string | undefined,
  ): Promise<ReadObject | 'unchanged' | undefined> {
    const opening = version === undefined ? this.#storage.get(key) : this.#storage.getIfChanged(key, version);
    const object = await this.#opened(key, opening);
    if (object === undefined || object === 'unchanged') return object;
    return { bytes: await this.#readWhole(key, object), version: object.version };
  }

  async #readWhole(key: string, object: StoredObject): Promise<Buffer> {
    try {
      const bytes = Buffer.concat(await withinDeadline(object.body.toArray(), this.#timeoutMs));
      if (bytes.length !== object.bytes)
        throw new Error(`ended after ${bytes.length} of ${object.bytes} bytes`);
      return bytes;
    } catch (error) {
      throw this.#unavailable(key, error);
    } finally {
      object.body.destroy();
    }
  }

  /** What a JSON object of ours says. One that cannot be understood is an outage too: it is no absence. */
  parse<Schema extends z.ZodType>(key: string, bytes: Buffer, schema: Schema): z.infer<Schema> {
    try {
      return schema.parse(JSON.parse(bytes.toString()));
    } catch (error) {
      throw this.#unavailable(key, error);
    }
  }

  async #opened<Answer extends StoredObject | 'unchanged' | undefined>(
    key: string,
    opening: Promise<Answer>,
  ): Promise<Answer> {
    try {
      const answer = await withinDeadline(opening, this.#timeoutMs);
      // Whoever reads the body meets its error there; without a listener an earlier one would end the process.
      bodyOf(answer)?.on('error', () => {});
      return answer;
    } catch (error) {
      // It may still arrive, and then nobody else would close it.
      opening.then((late) => bodyOf(late)?.destroy()).catch(() => {});
      throw this.#unavailable(key, error);
    }
  }

  async *#read(key: string, body: Readable, isAbandoned: () => boolean): AsyncGenerator<Buffer> {
    const chunks = body[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await withinDeadline(chunks.next(), this.#timeoutMs);
        if (next.done) return;
        yield next.value;
      }
    } catch (error) {
      // A client that has left makes us close the object in the middle, which is no failure of the store.
      if (!isAbandoned()) throw this.#unavailable(key, error);
    }
  }

  #unavailable(key: string, cause: unknown): StoreUnavailable {
    const failure = new StoreUnavailable(`could not read object ${key}`, { cause });
    this.#report(failure);
    return failure;
  }
}

function bodyOf(answer: StoredObject | 'unchanged' | undefined): Readable | undefined {
  return typeof answer === 'object' ? answer.body : undefined;
}
