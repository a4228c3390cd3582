/** Reads `site.json`. */
import { type ObjectStorage, readObject } from '../../platform/storage/object-storage.ts';
import { type Site, siteKey, siteSchema } from './site.ts';

export async function readSite(
  storage: Pick<ObjectStorage, 'get'>,
  hostname: string,
): Promise<Site | undefined> {
  const bytes = await readObject(storage, siteKey(hostname));
  return bytes && parseSite(bytes);
}

/** `bytes` is the content of `site.json`. Throws if it has another shape. */
export function parseSite(bytes: Buffer): Site {
  return siteSchema.parse(JSON.parse(bytes.toString()));
}
