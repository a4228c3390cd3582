/**
 * Writes a site again whatever the store seems to have of it, for a store that lost or damaged something. It gets a new
 * generation as after any change, so that hosting servers see it whole or not at all. The files of uploads are in the
 * store alone, and cannot be written again.
 */

import { findSiteDomain } from '../domains/served-domain-store.ts';
import { inTransaction } from '../platform/postgres/database.ts';
import type { ObjectStorage } from '../platform/storage/object-storage.ts';
import { recordChange } from './change-site.ts';
import { siteKey } from './site.ts';
import { type WriteSiteOptions, writeSite } from './write-site.ts';

export interface RebuildSiteOptions extends WriteSiteOptions {
  readonly storage: WriteSiteOptions['storage'] & Pick<ObjectStorage, 'head'>;
}

/** `removed`: it is not to be served. `unknown`: there is neither such a domain nor a site. */
export type Rebuilding = 'written' | 'removed' | 'unknown';

export async function rebuildSite(options: RebuildSiteOptions, hostname: string): Promise<Rebuilding> {
  const domain = await inTransaction(options.database, async (transaction) => {
    const found = await findSiteDomain(transaction, hostname);
    if (found === undefined) return undefined;
    await recordChange(transaction, { id: found.id, hostname });
    return found;
  });
  if (domain === undefined && (await options.storage.head(siteKey(hostname))) === undefined) return 'unknown';
  await writeSite(options, hostname, { trustsStore: false });
  return domain?.isServed ? 'written' : 'removed';
}
