/** Deletes one sitemap of a domain. Hosting stops serving it at once, and its objects are deleted later. */
import type { Transaction } from '../../platform/postgres/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { OpenChange } from '../domains/domain.ts';
import { lockDomain } from '../domains/domain-store.ts';
import { endGenerations } from '../sites/garbage-store.ts';
import { requestRecent } from '../sites/recent-sitemap.ts';
import { findCounts, withUpload } from './domain-usage.ts';
import { cancelScheduledLoad } from './loads/cancel-load.ts';
import { deleteScheduleRow } from './schedules/schedule-store.ts';
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
  // Cancel the load of the schedule, because its commit would bring the sitemap back. The order of locks is: sessions before `garbage`, and
  // loads before schedules.
  await cancelScheduledLoad(transaction, domain.id, sitemapName);
  await deleteSitemapRow(transaction, { ...sitemap, seq: live.seq });
  await endGenerations(transaction, sitemap, options.keepReplacedMs);
  await withdrawUploads(transaction, sitemap);
  await requestRecent(transaction, domain.id);
  await deleteScheduleRow(transaction, sitemap);
  await onDeleted?.(transaction, live.seq);
  await change.commit({
    id: domain.id,
    hostname: domain.hostname,
    counts: withUpload(counts, live, undefined),
  });
}
