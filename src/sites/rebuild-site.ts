/**
 * Writes a site again whatever the store seems to have of it, for a store that lost or damaged something. It gets a new
 * generation as after any change, so that hosting servers see it whole or not at all. The files of uploads are in the
 * store alone, and cannot be written again.
 */
import { inTransaction } from '../platform/database.ts';
import type { ObjectStorage } from '../platform/object-storage.ts';
import { enqueuePublishSite } from './publish-site.ts';
import { siteKey } from './site.ts';
import { findSiteDomain, raiseGeneration } from './site-store.ts';
import { type SiteParts, writeSite } from './write-site.ts';

export interface RebuildParts extends SiteParts {
  readonly storage: SiteParts['storage'] & Pick<ObjectStorage, 'head'>;
}

/** `removed`: it is not to be served. `unknown`: there is neither such a domain nor a site. */
export type Rebuilding = 'written' | 'removed' | 'unknown';

export async function rebuildSite(parts: RebuildParts, hostname: string): Promise<Rebuilding> {
  const domain = await inTransaction(parts.database, async (transaction) => {
    const found = await findSiteDomain(transaction, hostname);
    if (found === undefined) return undefined;
    await raiseGeneration(transaction, found.id);
    await enqueuePublishSite(transaction, hostname);
    return found;
  });
  if (domain === undefined && (await parts.storage.head(siteKey(hostname))) === undefined) return 'unknown';
  await writeSite(parts, hostname, { trustsStore: false });
  return domain?.isServed ? 'written' : 'removed';
}
