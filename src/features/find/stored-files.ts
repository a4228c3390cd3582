/** Reads stored files: their XML piece by piece, and single fragments. */
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { type ObjectStorage, readBody } from '../../platform/storage/object-storage.ts';
import { pieceOptions } from '../entries/inflate-file.ts';
import { isDamage, streamXml } from '../entries/stream-xml.ts';
import { uploadFileKey } from '../sites/site.ts';
import type { IndexedFile } from './index-store.ts';
import type { IndexedPlace } from './url-index.ts';

export type ReadStorage = Pick<ObjectStorage, 'get' | 'head'>;

const inflateRawAsync = promisify(inflateRaw);

/** Yields the XML of a file, as `streamXml` does. `content`: the gzip bytes of a small file. */
export async function* readXml(
  storage: ReadStorage,
  { uploadId, uploadN: n, bytes }: IndexedFile,
  content?: Buffer,
): AsyncGenerator<Buffer, void, undefined> {
  const gzip = content ? Readable.from([content]) : (await storage.get(uploadFileKey(uploadId, n)))?.body;
  yield* streamXml(gzip, { uploadId, n, bytes }, (xml) => xml);
}

/** Returns the XML of a fragment; undefined if the file has no fragment at this place. */
export async function readFragment(
  storage: ReadStorage,
  { uploadId, uploadN, bytes: fileBytes }: IndexedFile,
  { from, deflatedBytes, bytes }: IndexedPlace,
): Promise<Buffer | undefined> {
  const key = uploadFileKey(uploadId, uploadN);
  if (bytes > fileBytes) return undefined;
  const object = await readRange(storage, key, { offset: from, length: deflatedBytes });
  if (object === undefined) return undefined;
  try {
    const xml = await inflateRawAsync(object, pieceOptions(bytes));
    return xml.length === bytes ? xml : undefined;
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** Reads a part of an object; undefined if the object is missing or shorter. */
export async function readRange(
  storage: ReadStorage,
  key: string,
  { offset, length }: { readonly offset: number; readonly length: number },
): Promise<Buffer | undefined> {
  if (length === 0) return Buffer.alloc(0);
  try {
    const object = await storage.get(key, { offset, length });
    return object && (await readBody(object, key));
  } catch (error) {
    // Stores have different errors for a range behind the end of an object, so ask for the length.
    const object = await storage.head(key);
    if (object === undefined || object.bytes < offset + length) return undefined;
    throw error;
  }
}
