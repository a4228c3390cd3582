/** Reads the present site.json of the store, before a new site.json replaces it. */
import { type ObjectStorage, readBody, type Version } from '../../platform/storage/object-storage.ts';
import { parseSite } from './read-site.ts';
import { type Site, siteKey } from './site.ts';

/** `site` is absent if we do not trust the store. */
export interface FormerSite extends Version {
  readonly site?: Site;
}

/** Reads the site.json. Returns undefined if there is none. */
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
