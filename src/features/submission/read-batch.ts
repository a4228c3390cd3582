/** Reads the URLs of a batch from its stored object. */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { MAX_URL_LENGTH } from '../../core/sitemap/limits.ts';
import { type ObjectStorage, readObject } from '../../platform/storage/object-storage.ts';
import type { Batch } from './batch-store.ts';
import { MAX_URLS_PER_BATCH } from './limits.ts';

const inflate = promisify(gunzip);
/** The most bytes of a batch. A URL is ASCII, so it has as many bytes as characters. */
const MAX_BYTES = MAX_URLS_PER_BATCH * (MAX_URL_LENGTH + 1);

/** Returns the URLs; undefined if the stored object is gone or damaged. Throws when the store fails. */
export async function readBatch(
  storage: Pick<ObjectStorage, 'get'>,
  { object, first, urlCount }: Batch,
): Promise<string[] | undefined> {
  const bytes = await readObject(storage, object);
  const text = bytes && (await inflate(bytes, { maxOutputLength: MAX_BYTES }).catch(() => undefined));
  const urls = text
    ?.toString()
    .split('\n')
    .slice(first, first + urlCount);
  return urls?.length === urlCount ? urls : undefined;
}
