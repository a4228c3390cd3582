/**
 * Reads the object storage for hosting. Every wait has a deadline. Every failure becomes StoreUnavailable and is reported. An absent object
 * is no failure.
 *
 * A read that we gave up stays under way in the store's client, with its memory and its place in the queue for a connection. So while a
 * store hangs, only MAX_GIVEN_UP reads wait for it, and further reads fail at once.
 */
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import { DeadlinePassed, withinDeadline } from '../../../platform/concurrency/deadline.ts';
import {
  type ByteRange,
  type ObjectReader,
  readBody,
  type StoredObject,
} from '../../../platform/storage/object-storage.ts';

/** The error for a store that fails or does not answer, and for a damaged object. The client gets 503, or an answer from memory. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/**
 * An object or a part of an object in memory. It was read at the store's pace, because no connection to the store should wait for a client.
 */
export interface ReadObject extends Omit<StoredObject, 'bytes' | 'body' | 'whole'> {
  readonly bytes: Buffer;
}

export interface GuardedStorageOptions {
  readonly storage: ObjectReader;
  readonly timeoutMs: number;
  readonly report: (failure: StoreUnavailable) => void;
}

/** The most reads under way that we gave up. The store has 64 connections, so it answers nobody when so many wait. */
const MAX_GIVEN_UP = 256;

export class GuardedStorage {
  readonly #options: GuardedStorageOptions;
  #givenUp = 0;

  constructor(options: GuardedStorageOptions) {
    this.#options = options;
  }

  /** Reads an object or a part of it into memory. Undefined if the object is absent. Opening has a deadline, and reading has another. */
  async read(key: string, range?: ByteRange): Promise<ReadObject | undefined> {
    const object = await this.#opened(key, () => this.#options.storage.get(key, range));
    return object && this.#readWhole(key, object);
  }

  /** Reads a whole object as `read` does. Returns `unchanged`, and reads nothing, if the object still has the version. */
  async readIfChanged(
    key: string,
    version: string | undefined,
  ): Promise<ReadObject | 'unchanged' | undefined> {
    const { storage } = this.#options;
    const object = await this.#opened(key, async () =>
      version === undefined ? storage.get(key) : storage.getIfChanged(key, version),
    );
    if (object === undefined || object === 'unchanged') return object;
    return this.#readWhole(key, object);
  }

  async #readWhole(key: string, object: StoredObject): Promise<ReadObject> {
    try {
      const reading = readBody(object, key);
      const { timeoutMs } = this.#options;
      const bytes = await (object.whole === undefined ? withinDeadline(reading, timeoutMs) : reading);
      return { bytes, objectBytes: object.objectBytes, version: object.version };
    } catch (error) {
      throw this.#unavailable(key, error);
    } finally {
      bodyOf(object)?.destroy();
    }
  }

  /** Parses one of our JSON objects. Throws StoreUnavailable for a malformed object, because it must not count as absent. */
  parse<Schema extends z.ZodType>(key: string, bytes: Buffer, schema: Schema): z.infer<Schema> {
    try {
      return schema.parse(JSON.parse(bytes.toString()));
    } catch (error) {
      throw this.#unavailable(key, error);
    }
  }

  async #opened<Answer extends StoredObject | 'unchanged' | undefined>(
    key: string,
    open: () => Promise<Answer>,
  ): Promise<Answer> {
    if (this.#givenUp >= MAX_GIVEN_UP) {
      throw this.#unavailable(key, new Error(`the store has not answered ${MAX_GIVEN_UP} reads in time`));
    }
    const opening = open();
    try {
      const answer = await withinDeadline(opening, this.#options.timeoutMs);
      // Without this listener, an error before the body is read ends the process. Later errors reach the reader of the body.
      bodyOf(answer)?.on('error', () => {});
      return answer;
    } catch (error) {
      if (error instanceof DeadlinePassed) void this.#closeLate(opening);
      throw this.#unavailable(key, error);
    }
  }

  /** Closes the body of an answer that comes after the deadline. */
  async #closeLate(opening: Promise<StoredObject | 'unchanged' | undefined>): Promise<void> {
    this.#givenUp++;
    const late = await opening.catch(() => undefined);
    this.#givenUp--;
    bodyOf(late)?.destroy();
  }

  #unavailable(key: string, cause: unknown): StoreUnavailable {
    const failure = new StoreUnavailable(`could not read object ${key}`, { cause });
    this.#options.report(failure);
    return failure;
  }
}

/** Returns the stream of an answer, which must be read or destroyed. Undefined if the answer has no stream. */
function bodyOf(answer: StoredObject | 'unchanged' | undefined): Readable | undefined {
  return typeof answer === 'object' && answer.whole === undefined ? answer.body : undefined;
}
