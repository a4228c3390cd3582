/** What the writers of a site share. */
import type { SiteDomain } from '../domains/served-domain-store.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { ObjectStorage } from '../platform/storage/object-storage.ts';
import type { FormerSite } from './former-site.ts';
import type { SiteOrigins } from './site.ts';

export interface WriteSiteOptions extends SiteOrigins {
  readonly database: Database;
  readonly storage: Pick<ObjectStorage, 'put' | 'putIfUnchanged' | 'get' | 'deleteMany'>;
  /** How long crawlers can still fetch the parts of replaced uploads. */
  readonly keepReplacedMs: number;
}

/** A site whose site.json is to be replaced. */
export interface DueSite {
  readonly hostname: string;
  readonly domain: SiteDomain;
  /** Undefined: the store has none. */
  readonly former: FormerSite | undefined;
}
