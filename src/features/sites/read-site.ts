/** Reads `site.json`. Throws if it has another shape. */
import {
  type ObjectStorage,
  readBody,
  readObject,
  type Version,
} from '../../platform/storage/object-storage.ts';
import { type Site, siteKey, siteSchema } from './site.ts';

export async function readSite(
  storage: Pick<ObjectStorage, 'get'>,
  hostname: string,
): Promise<Site | undefined> {
  const bytes = await readObject(storage, siteKey(hostname));
  return bytes && siteSchema.parse(JSON.parse(bytes.toString()));
}

/** The site.json that a new site.json replaces. `site` is absent if it is damaged, or if we do not trust the store. */
export interface FormerSite extends Version {
  readonly site?: Site;
}

export async function readFormerSite(
  storage: Pick<ObjectStorage, 'get'>,
  hostname: string,
  trustsStore: boolean,
): Promise<FormerSite | undefined> {
  const object = await storage.get(siteKey(hostname));
  if (object === undefined) return undefined;
  const { version } = object;
  if (trustsStore) {
    const json = parseStored(await readBody(object, siteKey(hostname)));
    return json === undefined ? { version } : { version, site: siteSchema.parse(json) };
  }
  object.body.destroy();
  return { version };
}

/**
 * Returns undefined if the bytes are no JSON: the object is damaged, and a writer makes it again. An object that is JSON and has another
 * shape may be of a newer version, so the schemas refuse it, and no writer replaces it.
 */
export function parseStored(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
