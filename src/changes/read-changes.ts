/** Reads the list of all changes of an upload, part by part. The store never waits for the reader. */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type ObjectStorage, readObject } from '../platform/storage/object-storage.ts';
import { changesKey } from '../sites/site.ts';

/** Many times what we write (change-parts.ts). */
const MAX_PART_BYTES = 64 * 1024 * 1024;

/** Yields whole lines: {"change":"added","loc":"https://…"}. Throws if a part is missing or damaged. */
export async function* readChanges(
  storage: Pick<ObjectStorage, 'get'>,
  uploadId: string,
  parts: number,
): AsyncGenerator<Buffer, void, undefined> {
  for (let n = 1; n <= parts; n++) {
    const key = changesKey(uploadId, n);
    const stored = await readObject(storage, key);
    if (stored === undefined) throw new Error(`object ${key} is missing`);
    yield await promisify(gunzip)(stored, { maxOutputLength: MAX_PART_BYTES });
  }
}
