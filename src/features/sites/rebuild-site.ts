/**
 * Writes a site again without trusting the store, because the store may have lost or damaged objects. The site gets a new generation, as
 * after any change, so hosting servers see all of the new objects or none. Large files of uploads exist only in the store, so they cannot
 * be written again.
 */
import { inTransaction } from '../../platform/postgres/database.ts';
import type { ObjectStorage } from '../../platform/storage/object-storage.ts';
import { lockDomain } from '../domains/domain-store.ts';
import { findSiteDomain } from '../domains/served-domain-store.ts';
import { recordChanges } from './change-site.ts';
import type { WriteSiteOptions } from './due-site.ts';
import { requestRecent } from './recent-sitemap.ts';
import { siteKey } from './site.ts';
import { writeSite } from './write-site.ts';

interface RebuildSiteOptions extends WriteSiteOptions {
  readonly storage: WriteSiteOptions['storage'] & Pick<ObjectStorage, 'head'>;
}

/** `removed`: the domain is not served, or only a site.json exists. `unknown`: there is neither a domain nor a site.json. */
export type Rebuilding = 'written' | 'removed' | 'unknown';

export async function rebuildSite(options: RebuildSiteOptions, hostname: string): Promise<Rebuilding> {
  const domain = await inTransaction(options.database, async (transaction) => {
    const found = await findSiteDomain(transaction, hostname);
    if (found === undefined) return undefined;
    // A publication may hold the domain for longer than an ordinary statement waits.
    await lockDomain(transaction, found.id);
    await recordChanges(transaction, [{ id: found.id, hostname }]);
    // A new version of the recent files replaces files that the store has lost.
    await requestRecent(transaction, found.id);
    return found;
  });
  if (domain === undefined && (await options.storage.head(siteKey(hostname))) === undefined) return 'unknown';
  await writeSite(options, hostname, { trustsStore: false });
  return domain?.isServed ? 'written' : 'removed';
}
