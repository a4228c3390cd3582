/** Deletes objects that nothing refers to any more. */

import type { Log } from '../platform/log.ts';
import { inTransaction, type Transaction, whileIdle } from '../platform/postgres/database.ts';
import type { ObjectStorage } from '../platform/storage/object-storage.ts';
import { forgetGarbage, postponeGarbage, takeDueGarbage } from './garbage-store.ts';
import { type HastenGarbageOptions, hastenGarbage } from './hasten-garbage.ts';
import { readSite } from './read-site.ts';
import { hostnameOfIndexesPrefix, siteIndexKey } from './site.ts';
import { lockSite } from './site-store.ts';

/** S3's limit for one DeleteObjects request. */
const DELETE_BATCH = 1000;

export interface CollectGarbageOptions extends HastenGarbageOptions {
  readonly storage: Pick<ObjectStorage, 'get' | 'list' | 'deleteMany'>;
  readonly log: Log;
  readonly keepReplacedMs: number;
  /** Receives the number of deleted objects. */
  readonly report?: (objects: number) => void;
}

/** Works until nothing is due. Any number of processes may run it at once. */
export async function collectGarbage(options: CollectGarbageOptions): Promise<void> {
  await hastenGarbage(options);
  let collected = 0;
  while (await inTransaction(options.database, (transaction) => collectNext(options, transaction)))
    collected++;
  if (collected > 0) options.log.info({ collected }, 'garbage collected');
}

/** Returns false when nothing is due. */
async function collectNext(options: CollectGarbageOptions, transaction: Transaction): Promise<boolean> {
  const prefix = await takeDueGarbage(transaction);
  if (prefix === undefined) return false;
  const hostname = hostnameOfIndexesPrefix(prefix);
  if (hostname !== undefined) await collectIndexes(options, transaction, prefix, hostname);
  else {
    // Delete the rows first. If the upload is live after all, this fails before any object is deleted.
    await forgetGarbage(transaction, prefix);
    await whileIdle(transaction, () => deleteObjects(options, keysOf(options.storage, prefix)));
  }
  return true;
}

/** Keeps the live index of a site, and young ones that a crawler may still fetch. */
async function collectIndexes(
  options: CollectGarbageOptions,
  transaction: Transaction,
  prefix: string,
  hostname: string,
): Promise<void> {
  const { storage, keepReplacedMs } = options;
  // Exclude writers of the site. An index that they are about to name in site.json must not look unused.
  await lockSite(transaction, hostname);
  const site = await whileIdle(transaction, () => readSite(storage, hostname));
  const liveKey = site?.index ? siteIndexKey(hostname, site.generation) : undefined;
  const oldest = Date.now() - keepReplacedMs;
  let youngKeys = 0;
  async function* staleKeys() {
    for await (const { key, modifiedAt } of storage.list(prefix)) {
      if (key === liveKey) continue;
      if (modifiedAt.getTime() > oldest) youngKeys++;
      else yield key;
    }
  }
  await whileIdle(transaction, () => deleteObjects(options, staleKeys()));
  if (youngKeys > 0) await postponeGarbage(transaction, prefix, keepReplacedMs);
  else await forgetGarbage(transaction, prefix);
}

async function* keysOf(storage: CollectGarbageOptions['storage'], prefix: string): AsyncGenerator<string> {
  for await (const { key } of storage.list(prefix)) yield key;
}

async function deleteObjects(
  { storage, report }: CollectGarbageOptions,
  keys: AsyncIterable<string>,
): Promise<void> {
  const deleteBatch = async (batch: readonly string[]) => {
    await storage.deleteMany(batch);
    report?.(batch.length);
  };
  let batch: string[] = [];
  for await (const key of keys) {
    batch.push(key);
    if (batch.length < DELETE_BATCH) continue;
    await deleteBatch(batch);
    batch = [];
  }
  if (batch.length > 0) await deleteBatch(batch);
}
