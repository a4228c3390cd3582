/** Deletes one sitemap of a domain. Hosting stops serving it at once, and its objects are deleted later. */
import type { Transaction } from '../../platform/postgres/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { OpenChange } from '../domains/domain.ts';
import { lockDomain } from '../domains/domain-store.ts';
import { cutDeletedSitemap } from '../entries/changed-entries.ts';
import { endGenerations } from '../sites/garbage-store.ts';
import { findCounts, withUpload } from './domain-usage.ts';
import { cancelFound } from './loads/cancel-load.ts';
import { findLoad } from './loads/load-store.ts';
import { deleteScheduleOf, findSchedule, type ScheduleKey } from './schedules/schedule-store.ts';
import type { UploadDomain } from './upload-members.ts';
import { deleteSitemapRow, findLiveGeneration, withdrawUploads } from './upload-store.ts';

export interface DeleteSitemapOptions {
  readonly openChange: OpenChange;
  readonly keepReplacedMs: number;
}

/** Deletes a sitemap. `onDeleted` runs in the transaction, with the generation that was live. Throws Refusal NOT_FOUND. */
export async function deleteSitemap(
  options: DeleteSitemapOptions,
  domain: UploadDomain,
  sitemapName: string,
  onDeleted?: (transaction: Transaction, generation: number) => Promise<unknown>,
): Promise<void> {
  await using change = await options.openChange();
  const { transaction } = change;
  await lockDomain(transaction, domain.id);
  const live = await findLiveGeneration(transaction, domain.id, sitemapName);
  if (live === undefined) throw new Refusal('NOT_FOUND', 'There is no such sitemap.');
  const counts = await findCounts(transaction, domain.id);
  const sitemap = { domainId: domain.id, sitemapName };
  // The order of locks is: sessions before `garbage`.
  await endSchedule(transaction, sitemap);
  await endGenerations(transaction, sitemap, options.keepReplacedMs);
  await deleteSitemapRow(transaction, { ...sitemap, seq: live.seq });
  await withdrawUploads(transaction, sitemap);
  await cutDeletedSitemap(transaction, { ...sitemap, seq: live.seq });
  await onDeleted?.(transaction, live.seq);
  await change.commit({
    id: domain.id,
    hostname: domain.hostname,
    counts: withUpload(counts, live, undefined),
  });
}

/**
 * Deletes the schedule of the sitemap, and cancels its load, because the commit of the load would bring the sitemap back. The caller has
 * locked the domain. In transactions, loads are locked before schedules.
 */
async function endSchedule(transaction: Transaction, key: ScheduleKey): Promise<void> {
  for (;;) {
    const schedule = await findSchedule(transaction, key);
    if (schedule === undefined) return;
    const { id, accountId, loadId } = schedule;
    const load = loadId === null ? undefined : await findLoad(transaction, accountId, loadId);
    if (load !== undefined && !load.hasEnded) await cancelFound(transaction, load);
    // A process may have begun the next load meanwhile. Then look again.
    if (await deleteScheduleOf(transaction, id, loadId)) return;
  }
}
