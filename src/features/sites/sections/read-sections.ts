/** Reads the sections of a site from the store. */
import pMap from 'p-map';
import { type ObjectStorage, readObject } from '../../../platform/storage/object-storage.ts';
import { parseStored } from '../read-site.ts';
import { type Site, type SiteSection, type SiteSitemap, sectionContentSchema, sectionKey } from '../site.ts';

const MAX_READS = 16;

/**
 * Returns the sitemaps of the sections for which `isWanted` is true, or all sitemaps of a site that is not divided. A section whose object
 * is missing or damaged adds no sitemaps, so the writer of the site treats its sitemaps as new.
 */
export async function readSitemaps(
  storage: Pick<ObjectStorage, 'get'>,
  { hostname, sitemaps, sections = [] }: Pick<Site, 'hostname' | 'sitemaps' | 'sections'>,
  isWanted: (section: SiteSection, at: number) => boolean = () => true,
): Promise<SiteSitemap[]> {
  const read = async (section: SiteSection) => {
    const bytes = await readObject(storage, sectionKey(hostname, section));
    const json = bytes && parseStored(bytes);
    return json === undefined ? [] : sectionContentSchema.parse(json).sitemaps;
  };
  const inSections = await pMap(sections.filter(isWanted), read, { concurrency: MAX_READS });
  return [...sitemaps, ...inSections.flat()];
}
