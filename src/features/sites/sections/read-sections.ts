/** Reads the sections of a site from the store. */
import pMap from 'p-map';
import { type ObjectStorage, readObject } from '../../../platform/storage/object-storage.ts';
import { type Site, type SiteSection, type SiteSitemap, sectionContentSchema, sectionKey } from '../site.ts';

const MAX_READS = 16;

type Storage = Pick<ObjectStorage, 'get'>;

/** Returns undefined if the object is missing. Throws if it is damaged. */
async function readSection(
  storage: Storage,
  hostname: string,
  section: SiteSection,
): Promise<SiteSitemap[] | undefined> {
  const bytes = await readObject(storage, sectionKey(hostname, section));
  return bytes && sectionContentSchema.parse(JSON.parse(bytes.toString())).sitemaps;
}

/**
 * Returns the sitemaps of the sections for which `isWanted` is true, or all sitemaps of a site that is not divided. A section whose object
 * is missing adds none, so the writer of the site treats its sitemaps as new.
 */
export async function readSitemaps(
  storage: Storage,
  { hostname, sitemaps, sections = [] }: Pick<Site, 'hostname' | 'sitemaps' | 'sections'>,
  isWanted: (section: SiteSection, at: number) => boolean = () => true,
): Promise<SiteSitemap[]> {
  const read = async (section: SiteSection) => (await readSection(storage, hostname, section)) ?? [];
  const inSections = await pMap(sections.filter(isWanted), read, { concurrency: MAX_READS });
  return [...sitemaps, ...inSections.flat()];
}
