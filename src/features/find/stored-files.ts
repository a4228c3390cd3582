/** Reads stored files: the hashes of their entries, their XML piece by piece, and single fragments. */
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { type ObjectStorage, readBody, readObject } from '../../platform/storage/object-storage.ts';
import { pieceOptions } from '../entries/inflate-file.ts';
import { isDamage, streamXml } from '../entries/stream-xml.ts';
import { type FileHashes, MIN_HASHED_ENTRIES, readFileHashes } from '../sites/file-hashes.ts';
import { fileHashesKey, uploadFileKey } from '../sites/site.ts';
import type { IndexedFile } from './index-store.ts';
import type { IndexedPlace } from './url-index.ts';

export type ReadStorage = Pick<ObjectStorage, 'get' | 'head'>;

const inflateRawAsync = promisify(inflateRaw);

/** Returns the hashes of the entries of a file; undefined if it has none. */
export async function findFileHashes(
  storage: ReadStorage,
  { uploadId, uploadN, entries }: IndexedFile,
): Promise<FileHashes | undefined> {
  if (entries < MIN_HASHED_ENTRIES) return undefined;
  const object = await readObject(storage, fileHashesKey(uploadId, uploadN));
  return object && readFileHashes(object, entries);
}

/** Returns the place and the number of entries of each fragment of a file. */
export function placesOf({ fragments, firstFragmentAt }: FileHashes, file: number) {
  let from = firstFragmentAt;
  return fragments.map(({ deflatedBytes, bytes, entries }) => {
    const place: IndexedPlace = { file, from, deflatedBytes, bytes };
    from += deflatedBytes;
    return { place, entries };
  });
}

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
