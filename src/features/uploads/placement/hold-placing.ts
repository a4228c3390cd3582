/**
 * Keeps deltas away from a sitemap while an upload is placed, or while deltas are published that others overtook. A delta replaces the
 * generation in whose files the upload or the deltas are placed.
 */
import type { Database } from '../../../platform/postgres/database.ts';
import { type HeldLease, holdLease } from '../../../platform/postgres/hold-lease.ts';
import { isFree, leasedFor } from '../../../platform/postgres/lease.ts';
import type { SitemapKey } from '../upload-store.ts';

const LEASE_MS = 30_000;

/**
 * Keeps deltas away until the scope ends. If the process dies, deltas wait until the lease ends. If the lease is lost, the publication
 * finds out whether a delta came first.
 *
 * Processes may place uploads of one sitemap at once. The last one to begin has the lease, and the end of the lease is the fence: the
 * others neither shorten nor clear the lease.
 */
export async function holdPlacing(
  database: Database,
  { domainId, sitemapName }: SitemapKey,
): Promise<HeldLease> {
  let ours: string | null = null;
  const set = async (until: string, condition: string) => {
    const { rows } = await database.query<{ until: string | null }>(
      `UPDATE sitemaps SET placing_until = ${until}
        WHERE domain_id = $1 AND name = $2 AND ${condition} RETURNING placing_until::text AS until`,
      [domainId, sitemapName, ours],
    );
    if (rows[0] !== undefined) ours = rows[0].until;
  };
  const isOurs = 'placing_until = $3::timestamptz';
  const renew = () =>
    set(leasedFor(LEASE_MS), `($3::timestamptz IS NULL OR ${isOurs} OR ${isFree('placing_until')})`);
  await renew();
  return holdLease({ lengthMs: LEASE_MS, renew, release: () => set('NULL', isOurs) });
}
