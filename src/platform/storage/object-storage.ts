/**
 * The contract of object storage: whole objects under keys, and the few operations that every S3-compatible store
 * has. `s3-storage.ts` and `folder-storage.ts` implement it, and one contract suite tests both.
 *
 * A missing object is an answer (`undefined`). Any other failure throws: callers must never mistake an outage for a
 * missing object.
 */
import type { Readable } from 'node:stream';

export interface ObjectStorage {
  /**
   * Stores a whole object: `parts`, in order. Readers see the old object or the new one, never a mixture. Once the
   * promise resolves, the object survives a crash.
   */
  put(key: string, parts: readonly Uint8Array[]): Promise<void>;

  /**
   * Stores an object like `put`, but faster where the store allows. No object may ever have had this key, and no reader
   * may know the key before the promise resolves. A crash before that may leave part of the object.
   */
  putNew(key: string, parts: readonly Uint8Array[]): Promise<void>;

  /**
   * A conditional `put`: stores only if the stored object is still `former`, as `get` found it (undefined: no object).
   * Otherwise stores nothing and returns false. Also returns false if the put succeeded but its answer was lost: the
   * retry then finds another object.
   */
  putIfUnchanged(key: string, parts: readonly Uint8Array[], former: Version | undefined): Promise<boolean>;

  /** Opens an object for reading. The caller consumes or destroys `body`. */
  get(key: string, range?: ByteRange): Promise<StoredObject | undefined>;

  /** Works like `get`, but transfers no bytes if the object still has this version. */
  getIfChanged(key: string, version: string): Promise<StoredObject | 'unchanged' | undefined>;

  /** Size and age of an object, without its bytes. */
  head(key: string): Promise<ObjectDescription | undefined>;

  /** Deletes objects; keys that do not exist are no error. */
  deleteMany(keys: readonly string[]): Promise<void>;

  /** All objects whose key begins with `prefix`, in no particular order. */
  list(prefix: string): AsyncIterable<ObjectDescription>;
}

/** Read access only. */
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

/** `version` is undefined if the store gives none. Then we cannot tell whether an object has changed. */
export interface Version {
  readonly version: string | undefined;
}

export interface StoredObject extends Version {
  /** The number of bytes that `body` yields: the whole object, or the requested range. */
  readonly bytes: number;
  /** Length of the whole object. */
  readonly objectBytes: number;
  readonly body: Readable;
  /** The bytes of `body`, if the store has read them already. The caller then need not read or destroy `body`. */
  readonly whole?: Buffer | undefined;
  /** Reads these bytes into memory of the caller, in place of `body`. The memory has exactly `bytes` bytes. */
  readonly readInto?: ((target: Uint8Array) => Promise<void>) | undefined;
}

/** Reads a whole object into memory; for objects that are known to be small. Returns undefined if there is no such object. */
export async function readObject(
  storage: Pick<ObjectStorage, 'get'>,
  key: string,
): Promise<Buffer | undefined> {
  const object = await storage.get(key);
  return object && readBody(object, key);
}

/** Reads the body of a stored object into one buffer of exactly its size. Throws if the body has another length. */
export async function readBody(object: StoredObject, key: string): Promise<Buffer> {
  if (object.whole !== undefined) return object.whole;
  const whole = Buffer.allocUnsafeSlow(object.bytes);
  await readBodyInto(object, key, whole);
  return whole;
}

/**
 * Reads a whole object into memory of the caller. Returns the part that it takes; undefined if there is no such object, or if it is
 * larger than `target`. Fresh memory for each large object costs more than reading it.
 */
export async function readObjectInto<Memory extends ArrayBufferLike>(
  storage: Pick<ObjectStorage, 'get'>,
  key: string,
  target: Uint8Array<Memory>,
): Promise<Uint8Array<Memory> | undefined> {
  const object = await storage.get(key);
  if (object === undefined) return undefined;
  if (object.bytes > target.length) {
    if (object.whole === undefined) object.body.destroy();
    return undefined;
  }
  const part = target.subarray(0, object.bytes);
  if (object.whole !== undefined) part.set(object.whole);
  else await readBodyInto(object, key, part);
  return part;
}

async function readBodyInto(object: StoredObject, key: string, target: Uint8Array): Promise<void> {
  if (object.readInto !== undefined) return object.readInto(target);
  let bytes = 0;
  for await (const chunk of object.body as AsyncIterable<Buffer>) {
    if (bytes + chunk.length <= target.length) target.set(chunk, bytes);
    bytes += chunk.length;
  }
  if (bytes !== target.length)
    throw new Error(`object ${key} ended after ${bytes} of ${target.length} bytes`);
}
