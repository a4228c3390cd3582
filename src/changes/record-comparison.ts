/** The end of a comparison: one transaction that records it, or none of it. */
import { lockDomain } from '../domains/domain-store.ts';
import { type Database, inTransaction } from '../platform/postgres/database.ts';
import { addGarbage } from '../sites/garbage-store.ts';
import { uploadPrefix } from '../sites/site.ts';
import type { ChangeSink, OnCounted } from './comparison.ts';
import { type EndedComparison, findUploadFiles, insertComparison, nameParts } from './comparison-store.ts';
import { type DueComparison, endComparison, lockComparison } from './due-comparison-store.ts';
import { Overtaken } from './hold-comparison.ts';
import { keptOrigins, topOrigins } from './origins.ts';
import type { Origins } from './thread-messages.ts';

export interface RecordOptions {
  readonly database: Database;
  readonly onCounted: OnCounted;
}

interface Recorded {
  readonly sink: ChangeSink | undefined;
  readonly origins: Origins | undefined;
  /** How many parts of a list are all objects of the upload. Undefined: nobody knows. */
  readonly onlyParts?: number | undefined;
  readonly seconds: number;
}

/**
 * Records what a comparison found, and commits its sink, if the upload is still live and the lease ours. Throws Overtaken.
 */
export async function recordComparison(
  { database, onCounted }: RecordOptions,
  due: DueComparison,
  ended: EndedComparison,
  { sink, origins, onlyParts, seconds }: Recorded,
): Promise<EndedComparison> {
  let mayBeCommitted = false;
  try {
    await inTransaction(database, async (transaction) => {
      // In the order of publishers: the domain first.
      await lockDomain(transaction, due.domainId);
      if ((await lockComparison(transaction, due)) !== due.uploadId) {
        throw new Overtaken('another upload is live, or the sitemap is gone');
      }
      const kept = origins && keptOrigins(origins);
      await insertComparison(transaction, due, ended, { origins: kept, seconds });
      if (onlyParts !== undefined) await nameParts(transaction, due.uploadId, onlyParts);
      await endComparison(transaction, due);
      if (origins !== undefined) {
        await onCounted(transaction, { ...identityOf(due), origins: topOrigins(origins) });
      }
      // If the answer to COMMIT is lost, it may have happened.
      mayBeCommitted = true;
      await sink?.commit(transaction);
    });
  } finally {
    if (!mayBeCommitted) await sink?.discard();
  }
  return ended;
}

/** If the upload is gone, nobody knows of the objects that were stored for it since. */
export async function forgetParts(database: Database, { uploadId }: DueComparison): Promise<void> {
  const files = await findUploadFiles(database, uploadId);
  if (files === undefined) await addGarbage(database, [uploadPrefix(uploadId)], 0);
}

/** Gives the comparison up: the live upload is what the next one is compared with. Throws Overtaken. */
export async function giveUpComparison(options: RecordOptions, due: DueComparison): Promise<EndedComparison> {
  const samples = { added: [], changed: [], removed: [] };
  const ended: EndedComparison = {
    state: 'unknown',
    counts: { added: 0, changed: 0, removed: 0 },
    samples,
    parts: 0,
  };
  return recordComparison(options, due, ended, { sink: undefined, origins: undefined, seconds: 0 });
}

export function identityOf({ accountId, domainId, hostname, sitemapName, uploadId }: DueComparison) {
  return { accountId, domainId, hostname, sitemapName, uploadId };
}
