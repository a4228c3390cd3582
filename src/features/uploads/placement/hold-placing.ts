/**
 * Keeps deltas away from a sitemap while an upload is placed, or while deltas are published that others overtook. A delta replaces the
 * generation in whose files they are placed.
 */
import type { Database } from '../../../platform/postgres/database.ts';
import { type HeldLease, holdLease } from '../../../platform/postgres/hold-lease.ts';
import { leasedFor } from '../../../platform/postgres/lease.ts';
import type { SitemapKey } from '../upload-store.ts';

const LEASE_MS = 30_000;

/**
 * Keeps deltas away until the scope ends. If the process dies, deltas wait until the lease ends. If the lease is lost, the publication
 * finds out whether a delta came first.
 */
export async function holdPlacing(database: Database, key: SitemapKey): Promise<HeldLease> {
  const set = async (until: string) => {
    await database.query(`UPDATE sitemaps SET placing_until = ${until} WHERE domain_id = $1 AND name = $2`, [
      key.domainId,
      key.sitemapName,
    ]);
  };
  const renew = () => set(leasedFor(LEASE_MS));
  await renew();
  return holdLease({ lengthMs: LEASE_MS, renew, release: () => set('NULL') });
}
