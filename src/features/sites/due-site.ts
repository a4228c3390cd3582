/** Types that the writers of a site share. */
import type { Database } from '../../platform/postgres/database.ts';
import type { ObjectStorage } from '../../platform/storage/object-storage.ts';
import type { SiteDomain } from '../domains/served-domain-store.ts';
import type { FormerSite } from './read-site.ts';
import type { SiteOrigins } from './site.ts';

export interface WriteSiteOptions extends SiteOrigins {
  readonly database: Database;
  readonly storage: Pick<ObjectStorage, 'put' | 'putIfUnchanged' | 'get' | 'deleteMany'>;
  /** The time for which crawlers can still fetch the parts of replaced uploads, in ms. */
  readonly keepReplacedMs: number;
  /** The size of a new section, in sitemaps. Only tests set it. The default is SECTION_SITEMAPS. */
  readonly sectionSitemaps?: number | undefined;
  /** The most bytes of a volume, and of the index in site.json. Only tests set it. The default is SMALL_FILE_BYTES. */
  readonly volumeBytes?: number | undefined;
}

/** A served site whose site.json must be written. */
export interface DueSite {
  readonly hostname: string;
  readonly domain: SiteDomain;
  /** Undefined if the store has no site.json of the site. */
  readonly former: FormerSite | undefined;
}
