/** Switches the sitemap of recent changes of a domain on or off, and sets its window. */
import { MAX_FILES_PER_INDEX } from '../../core/sitemap/limits.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Domain, OpenChange } from '../domains/domain.ts';
import { lockDomain } from '../domains/domain-store.ts';
import { endRecent, MAX_RECENT_FILES, RECENT_SITEMAP, requestRecent } from '../sites/recent-sitemap.ts';
import {
  countLiveFiles,
  hasSitemapNamed,
  insertRecent,
  type RecentSettings,
  setRecent,
} from './recent-store.ts';

/** The shortest and the longest window, in hours. */
export const MIN_HOURS = 1;
export const MAX_HOURS = 168;

/**
 * Changes the given settings. Settings that are undefined stay as they are. If a value differs from the former value, `onChanged` runs in
 * the transaction. Throws Refusal NOT_FOUND, or CONFLICT if the domain has another sitemap with the name RECENT_SITEMAP, or its index has no
 * room.
 */
export async function changeRecent(
  { openChange }: { readonly openChange: OpenChange },
  { id, hostname }: Pick<Domain, 'id' | 'hostname'>,
  wanted: Partial<RecentSettings>,
  onChanged: (transaction: Transaction) => Promise<unknown>,
): Promise<void> {
  await using change = await openChange();
  const { transaction } = change;
  if ((await lockDomain(transaction, id)) === undefined) {
    throw new Refusal('NOT_FOUND', 'There is no such domain.');
  }
  const former = await setRecent(transaction, id, wanted);
  if (former === undefined) return;
  const isEnabled = wanted.enabled ?? former.enabled;
  if (isEnabled && !former.enabled) {
    await refuseWithoutRoom(transaction, id);
    await insertRecent(transaction, id);
  }
  if (isEnabled) await requestRecent(transaction, id);
  else await endRecent(transaction, id);
  await onChanged(transaction);
  await change.commit({ id, hostname });
}

async function refuseWithoutRoom(transaction: Transaction, id: string): Promise<void> {
  const refusal = (message: string) =>
    new Refusal('CONFLICT', message, { details: { field: 'recent.enabled', value: true } });
  if (await hasSitemapNamed(transaction, id, RECENT_SITEMAP)) {
    const cure = 'Delete it first, or upload it under another name.';
    throw refusal(`The domain has a sitemap named ${RECENT_SITEMAP}. ${cure}`);
  }
  const most = MAX_FILES_PER_INDEX - MAX_RECENT_FILES;
  const files = await countLiveFiles(transaction, id);
  if (files > most) {
    throw refusal(
      `The domain has ${files} sitemap files. Its index has room for ${MAX_FILES_PER_INDEX}, and recent changes may take ${MAX_RECENT_FILES} of these places. Bring the domain to ${most} files first.`,
    );
  }
}
