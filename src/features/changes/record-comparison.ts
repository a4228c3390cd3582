/** Records the end of a comparison, in one transaction. */
import { type Database, inTransaction, type Transaction } from '../../platform/postgres/database.ts';
import { LeaseLost } from '../../platform/postgres/lease.ts';
import { lockDomain } from '../domains/domain-store.ts';
import { type ChangedEntries, recordChangedEntries } from '../entries/changed-entries.ts';
import { addGarbage } from '../sites/garbage-store.ts';
import { uploadPrefix } from '../sites/site.ts';
import type { ChangeSink, OnCounted } from './comparison.ts';
import {
  type ComparisonRow,
  type EndedComparison,
  findLiveUpload,
  findOrigins,
  findUploadFiles,
  insertComparison,
  nameParts,
  setOrigins,
  withoutChanges,
} from './comparison-store.ts';
import { type DueComparison, endComparison, lockComparison } from './due-comparison-store.ts';
import { keptOrigins, replaceOrigins, topOrigins } from './origins.ts';
import type { Origins } from './thread-messages.ts';

export interface RecordOptions {
  readonly database: Database;
  readonly onCounted: OnCounted;
}

interface Recorded extends ComparisonRow {
  readonly sink: ChangeSink | undefined;
  /** The number of stored parts of the list of changes. Undefined: the upload may also have other objects. */
  readonly onlyParts?: number | undefined;
  /** The changed entries for the sitemap of recent changes. Undefined: nothing changed, or the domain has no such sitemap. */
  readonly changed: ChangedEntries | undefined;
}

/**
 * Records the result of a comparison, and commits its sink. Throws LeaseLost if another upload is to be compared, or if another process has
 * the lease.
 */
export async function recordComparison(
  { database, onCounted }: RecordOptions,
  due: DueComparison,
  ended: EndedComparison,
  { sink, origins, list, onlyParts, changed, seconds }: Recorded,
): Promise<EndedComparison> {
  let mayBeCommitted = false;
  try {
    await inTransaction(database, async (transaction) => {
      // Publishers lock the domain first, so another order could deadlock.
      await lockDomain(transaction, due.domainId);
      if ((await lockComparison(transaction, due)) !== due.uploadId) {
        throw new LeaseLost('another upload is live, or the sitemap is gone');
      }
      const ofLive = origins && (await originsOfLive(transaction, due, origins));
      const kept = origins && keptOrigins(origins);
      await insertComparison(transaction, due, ended, { origins: kept, list, seconds });
      if (onlyParts !== undefined) await nameParts(transaction, due.uploadId, onlyParts);
      await endComparison(transaction, due);
      if (changed !== undefined) await recordChangedEntries(transaction, due, changed);
      if (ofLive !== undefined) {
        if (ofLive.deltaId !== undefined) {
          await setOrigins(transaction, ofLive.deltaId, keptOrigins(ofLive.origins));
        }
        await onCounted(transaction, { ...identityOf(due), origins: topOrigins(ofLive.origins) });
      }
      // Postgres may have committed even if its answer to COMMIT is lost.
      mayBeCommitted = true;
      await sink?.commit(transaction);
    });
  } finally {
    if (!mayBeCommitted) await sink?.discard();
  }
  return ended;
}

/**
 * Returns the origins of the live generation. It is the compared upload, or a delta (`deltaId`) whose record says only what deltas changed,
 * because the upload below it was not compared yet.
 */
async function originsOfLive(
  transaction: Transaction,
  { domainId, sitemapName, uploadId }: DueComparison,
  origins: Origins,
): Promise<{ origins: Origins; deltaId: string | undefined }> {
  const liveId = await findLiveUpload(transaction, domainId, sitemapName);
  if (liveId === undefined || liveId === uploadId) return { origins, deltaId: undefined };
  // The compared upload is a delta itself, if the upload below both is gone.
  const { added: former = {} } = await findOrigins(transaction, uploadId);
  const { added: live = {} } = await findOrigins(transaction, liveId);
  return { origins: replaceOrigins(origins, { former, live }), deltaId: liveId };
}

/** Lists the stored parts of a list of changes for collection if the upload is gone. No row names such parts any longer. */
export async function forgetParts(database: Database, { uploadId }: DueComparison): Promise<void> {
  const files = await findUploadFiles(database, uploadId);
  if (files === undefined) await addGarbage(database, [uploadPrefix(uploadId)], 0);
}

/** Gives the comparison up. The next upload is compared with the upload that is live now. Throws LeaseLost. */
export async function giveUpComparison(options: RecordOptions, due: DueComparison): Promise<EndedComparison> {
  const nothing = { sink: undefined, origins: undefined, list: undefined, seconds: 0 };
  const changed = { leftOut: 'unknown' } as const;
  return recordComparison(options, due, withoutChanges('unknown'), { ...nothing, changed });
}

/** Returns the members of a due comparison that say what is compared. */
export function identityOf({ accountId, domainId, hostname, sitemapName, uploadId }: DueComparison) {
  return { accountId, domainId, hostname, sitemapName, uploadId };
}
