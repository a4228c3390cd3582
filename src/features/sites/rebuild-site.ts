/**
 * Writes a site again without trusting the store, for a store that lost or damaged objects. As after any change, the site gets a new
 * generation, so hosting servers see it whole or not at all. Files of uploads that are not small exist only in the store, and cannot be
 * written again.
 */
import { inTransaction } from '../../platform/postgres/database.ts';
import type { ObjectStorage } from '../../platform/storage/object-storage.ts';
import { findSiteDomain } from '../domains/served-domain-store.ts';
import { recordChanges } from './change-site.ts';
import type { WriteSiteOptions } from './due-site.ts';
import { requestRecent } from './recent-sitemap.ts';
import { siteKey } from './site.ts';
import { writeSite } from './write-site.ts';

export interface RebuildSiteOptions extends WriteSiteOptions {
  readonly storage: WriteSiteOptions['storage'] & Pick<ObjectStorage, 'head'>;
}

/** `removed`: the domain is not served, or does not exist. `unknown`: there is neither a domain nor a site.json. */
export type Rebuilding = 'written' | 'removed' | 'unknown';

export async function rebuildSite(options: RebuildSiteOptions, hostname: string): Promise<Rebuilding> {
  const domain = await inTransaction(options.database, async (transaction) => {
    const found = await findSiteDomain(transaction, hostname);
    if (found === undefined) return undefined;
    await recordChanges(transaction, [{ id: found.id, hostname }]);
    // A due version of the recent files replaces files that the store lost.
    await requestRecent(transaction, found.id);
    return found;
  });
  if (domain === undefined && (await options.storage.head(siteKey(hostname))) === undefined) return 'unknown';
  await writeSite(options, hostname, { trustsStore: false });
  return domain?.isServed ? 'written' : 'removed';
}
