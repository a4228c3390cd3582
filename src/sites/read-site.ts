/** Reads back what hosting reads. */
import { type ObjectStorage, readObject } from '../platform/object-storage.ts';
import { type Site, siteKey, siteSchema } from './site.ts';

export async function readSite(
  storage: Pick<ObjectStorage, 'get'>,
  hostname: string,
): Promise<Site | undefined> {
  const bytes = await readObject(storage, siteKey(hostname));
  return bytes === undefined ? undefined : siteSchema.parse(JSON.parse(bytes.toString()));
}
