/** Sets how often a sitemap is to be uploaded, and judges whether its uploads come. */
import { recordLook } from '../../../core/jobs/record-look.ts';
import { type Database, inTransaction, type Transaction } from '../../../platform/postgres/database.ts';
import { Refusal } from '../../../platform/refusal.ts';
import { lockDomain } from '../../domains/domain-store.ts';
import { findSitemap, type SitemapSummary } from '../list-sitemaps.ts';
import type { SitemapKey } from '../upload-store.ts';
import { clampFreshUntil, endStale, openStale, setExpectation } from './freshness-store.ts';

/**
 * `first` runs first in the transaction. `onChanged` runs after the change, unless the expectation is the same as before. Throws Refusal
 * NOT_FOUND.
 */
export function expectUploads(
  database: Database,
  sitemap: SitemapKey,
  hours: number | null,
  first: (transaction: Transaction) => Promise<unknown>,
  onChanged: (transaction: Transaction) => Promise<unknown>,
): Promise<SitemapSummary> {
  return inTransaction(database, async (transaction) => {
    await first(transaction);
    // Publications hold this lock while they move `fresh_until` on.
    await lockDomain(transaction, sitemap.domainId);
    if (await setExpectation(transaction, sitemap, hours)) await onChanged(transaction);
    const found = await findSitemap(transaction, sitemap);
    if (found === undefined) throw new Refusal('NOT_FOUND', 'There is no such sitemap.');
    return found;
  });
}

const PORTION = 100;

/**
 * The job that turns sitemaps stale when their upload is late, and fresh after an upload. A portion is one transaction with its events,
 * so each event is sent once.
 */
export async function judgeFreshness(database: Database): Promise<void> {
  const isSettled = await recordLook(database, 'freshness');
  if (!isSettled) while ((await clampFreshUntil(database, PORTION)) === PORTION);
  while ((await endStale(database, PORTION)) === PORTION);
  if (!isSettled) return;
  while ((await openStale(database, PORTION)) === PORTION);
}
