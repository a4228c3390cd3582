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
  return bytes && parseSite(bytes);
}

/** The site.json that a new site.json replaces. `site` is absent if we do not trust the store. */
export interface FormerSite extends Version {
  readonly site?: Site;
}

/** Returns undefined if there is no site.json. */
export async function readFormerSite(
  storage: Pick<ObjectStorage, 'get'>,
  hostname: string,
  trustsStore: boolean,
): Promise<FormerSite | undefined> {
  const object = await storage.get(siteKey(hostname));
  if (object === undefined) return undefined;
  const { version } = object;
  if (trustsStore) return { version, site: parseSite(await readBody(object, siteKey(hostname))) };
  object.body.destroy();
  return { version };
}

const parseSite = (bytes: Buffer): Site => siteSchema.parse(JSON.parse(bytes.toString()));
