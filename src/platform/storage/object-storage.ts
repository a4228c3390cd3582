/**
 * The contract with object storage: whole objects under keys, the few operations that every S3-compatible
 * store has. `s3-storage.ts` and `folder-storage.ts` implement it, and one contract suite tests both.
 *
 * A missing object is an answer (`undefined`), any other failure throws: callers must never take an outage
 * for an absence.
 */
import type { Readable } from 'node:stream';

export interface ObjectStorage {
  /**
   * Stores a whole object. Readers see the old object or the new one, never a mixture, and once the promise
   * resolves the object survives a crash. `parts` are written one after the other.
   */
  put(key: string, parts: readonly Uint8Array[]): Promise<void>;

  /**
   * Stores an object under a key that no object ever had and that no reader is told of before the promise resolves,
   * as `put` does and faster where the store can. A crash meanwhile may leave a part of it.
   */
  putNew(key: string, parts: readonly Uint8Array[]): Promise<void>;

  /**
   * As `put`, but only while what is stored is still `former`, as `get` had found it: undefined when there was nothing.
   * False when it is not; then nothing was stored. A put of one's own whose answer was lost makes it false too.
   */
  putIfUnchanged(key: string, parts: readonly Uint8Array[], former: Version | undefined): Promise<boolean>;

  /** Opens an object for reading; the caller consumes or destroys `body`. */
  get(key: string, range?: ByteRange): Promise<StoredObject | undefined>;

  /** As `get`, but an object that is still in this version moves no bytes. */
  getIfChanged(key: string, version: string): Promise<StoredObject | 'unchanged' | undefined>;

  /** Size and age of an object, without its bytes. */
  head(key: string): Promise<ObjectDescription | undefined>;

  /** Deletes objects; keys that do not exist are no error. */
  deleteMany(keys: readonly string[]): Promise<void>;

  /** All objects whose key begins with `prefix`, in no particular order. */
  list(prefix: string): AsyncIterable<ObjectDescription>;
}

/** What it takes to read objects and no more. */
export type ObjectReader = Pick<ObjectStorage, 'get' | 'getIfChanged'>;

/** `length` bytes from `offset`; both must lie within the object. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

export interface ObjectDescription {
  readonly key: string;
  readonly bytes: number;
  readonly modifiedAt: Date;
}

/** `version` is undefined where the store names none: then nothing is known to be unchanged, nor changed. */
export interface Version {
  readonly version: string | undefined;
}

export interface StoredObject extends Version {
  /** How many bytes `body` yields: the whole object or the range asked for. */
  readonly bytes: number;
  /** Length of the whole object. */
  readonly objectBytes: number;
  readonly body: Readable;
}

/** Reads a whole object into memory; for objects that are known to be small. */
export async function readObject(
  storage: Pick<ObjectStorage, 'get'>,
  key: string,
): Promise<Buffer | undefined> {
  const object = await storage.get(key);
  return object && readBody(object, key);
}

export async function readBody(object: StoredObject, key: string): Promise<Buffer> {
  const bytes = Buffer.concat(await object.body.toArray());
  if (bytes.length !== object.bytes) {
    throw new Error(`object ${key} ended after ${bytes.length} of ${object.bytes} bytes`);
  }
  return bytes;
}
