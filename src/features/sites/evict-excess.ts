/**
 * Limits the bytes of an account's replaced uploads, which we keep for crawlers and rollbacks. Without a limit, an account that uploads
 * again and again fills the store.
 */
import { type Database, inTransaction } from '../../platform/postgres/database.ts';
import { lockDomain } from '../domains/domain-store.ts';
import { recordChanges } from './change-site.ts';
import {
  EVICT_AFTER_MS,
  type ExcessUpload,
  evictUploads,
  listExcessiveAccounts,
  listExcessUploads,
  sumKeptBytes,
} from './garbage-store.ts';

export interface HastenGarbageOptions {
  readonly database: Database;
  /** Gzip bytes of replaced uploads that an account may keep, by plan. */
  readonly replacedBytes: Readonly<Record<string, number>>;
}

/** Makes the oldest excess uploads due after EVICT_AFTER_MS, and requests writes of the sites that may name them. */
export async function evictExcess({ database, replacedBytes }: HastenGarbageOptions): Promise<void> {
  await sumKeptBytes(database);
  for (const account of await listExcessiveAccounts(database, replacedBytes)) {
    const excess = await listExcessUploads(database, account, EVICT_AFTER_MS);
    for (const uploads of Map.groupBy(excess, ({ domainId }) => domainId).values()) {
      await evictOfDomain(database, uploads);
    }
  }
}

async function evictOfDomain(database: Database, uploads: readonly ExcessUpload[]): Promise<void> {
  const { domainId, hostname } = uploads[0]!;
  await inTransaction(database, async (transaction) => {
    if (domainId !== null) {
      // Publishers lock the domain first, too, so no deadlock is possible.
      await lockDomain(transaction, domainId);
      await recordChanges(transaction, [{ id: domainId, hostname: hostname! }]);
    }
    const prefixes = uploads.map(({ prefix }) => prefix);
    await evictUploads(transaction, prefixes, EVICT_AFTER_MS);
  });
}
