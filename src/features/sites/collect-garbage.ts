/** Deletes objects to which no row or site refers any more. */
import pMap from 'p-map';

import type { Log } from '../../platform/log.ts';
import { inTransaction, type Transaction, whileIdle } from '../../platform/postgres/database.ts';
import type { ObjectStorage } from '../../platform/storage/object-storage.ts';
import { evictExcess, type HastenGarbageOptions } from './evict-excess.ts';
import {
  type DueGarbage,
  forgetGarbage,
  postponeGarbage,
  takeDueGarbage,
  takeDueIndexes,
} from './garbage-store.ts';
import { readSite } from './read-site.ts';
import { endSharingGenerations, trimGenerations } from './shared-file-store.ts';
import {
  changesKey,
  hostnameOfIndexesPrefix,
  keysOfFilePrefix,
  siteObjectKeys,
  uploadIdOfPrefix,
} from './site.ts';
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

/**
 * Works until no garbage is due. Any number of processes may run it at once. If a step fails, the other steps still run, and its
 * error is thrown at the end.
 */
export async function collectGarbage(options: CollectGarbageOptions): Promise<void> {
  let collected = 0;
  const repeat = async (
    step: (transaction: Transaction) => Promise<number>,
    onDone: (count: number) => void = () => {},
  ) => {
    let count: number;
    do {
      count = await inTransaction(options.database, step);
      onDone(count);
    } while (count > 0);
  };
  const collectAll = (collectNext: typeof collectPortion) =>
    repeat(
      (transaction) => collectNext(options, transaction),
      (count) => {
        collected += count;
      },
    );
  const failures: unknown[] = [];
  for (const step of [
    () => repeat((transaction) => endSharingGenerations(transaction, PORTION)),
    () => repeat((transaction) => trimGenerations(transaction, PORTION)),
    () => collectAll(collectPortion),
    () => collectAll(collectIndexes),
    // This comes last, because the uploads that it hastens are due only at a later run.
    () => evictExcess(options),
  ]) {
    await step().catch((error) => failures.push(error));
  }
  if (collected > 0) options.log.info({ collected }, 'garbage collected');
  if (failures.length > 0) throw failures[0];
}

/** Most uploads are small, so one transaction collects this many. */
const PORTION = 100;
/** The limit for a portion. If the process dies, at most this work is lost. */
const PORTION_FILES = 1000;
/** The estimate for an upload that was never published, which may have any number of files. */
const UNKNOWN_FILES = 100;
const LISTS_AT_ONCE = 16;

/** Returns the number of collected prefixes: 0 when none is due. */
async function collectPortion(options: CollectGarbageOptions, transaction: Transaction): Promise<number> {
  const due = await takeDueGarbage(transaction, PORTION);
  if (due.length === 0) return 0;
  let files = 0;
  // Take at least one prefix. Those beyond PORTION_FILES are left for the next portion.
  const portion = due.filter((each, i) => {
    files += each.files ?? (keysOfFilePrefix(each.prefix) === undefined ? UNKNOWN_FILES : 1);
    return i === 0 || files <= PORTION_FILES;
  });
  const prefixes = portion.map(({ prefix }) => prefix);
  // Delete the rows first. If an upload is live after all, this fails before any object is deleted.
  await forgetGarbage(transaction, prefixes);
  const limits = { concurrency: LISTS_AT_ONCE, stopOnError: false };
  const removals = [
    () => deleteObjects(options, knownKeysOf(portion)),
    ...portion
      .filter(({ prefix, objects }) => objects === null && keysOfFilePrefix(prefix) === undefined)
      .map(
        ({ prefix }) =>
          () =>
            deleteObjects(options, keysOf(options.storage, prefix)),
      ),
  ];
  await whileIdle(transaction, () => pMap(removals, (remove) => remove(), limits)).catch(({ errors }) => {
    throw errors[0];
  });
  return prefixes.length;
}

/**
 * Most small uploads have no objects, and the database knows that. A listing of the store costs more than all other
 * requests for such an upload.
 */
function knownKeysOf(portion: readonly DueGarbage[]): string[] {
  return portion.flatMap(({ prefix, objects }) => {
    const ofFile = keysOfFilePrefix(prefix);
    if (ofFile !== undefined) return ofFile;
    const uploadId = uploadIdOfPrefix(prefix);
    if (uploadId === undefined || objects === null) return [];
    return Array.from({ length: objects }, (_, i) => changesKey(uploadId, i + 1));
  });
}

/**
 * Collects the indexes of one site only, so that other sites need not wait for its lock. Returns 0 when none is due.
 */
async function collectIndexes(options: CollectGarbageOptions, transaction: Transaction): Promise<number> {
  const prefix = await takeDueIndexes(transaction);
  if (prefix === undefined) return 0;
  await collectIndexesOf(options, transaction, prefix);
  return 1;
}

/** Keeps the live index and sections of a site, and young ones that hosting or a crawler may still fetch. */
async function collectIndexesOf(
  options: CollectGarbageOptions,
  transaction: Transaction,
  prefix: string,
): Promise<void> {
  const hostname = hostnameOfIndexesPrefix(prefix)!;
  const { storage, keepReplacedMs } = options;
  // Exclude writers of the site. An index that they are about to name in site.json must not look unused.
  await lockSite(transaction, hostname);
  const site = await whileIdle(transaction, () => readSite(storage, hostname));
  const liveKeys = new Set(site && siteObjectKeys(site));
  const oldest = Date.now() - keepReplacedMs;
  let youngKeys = 0;
  async function* staleKeys() {
    for await (const { key, modifiedAt } of storage.list(prefix)) {
      if (liveKeys.has(key)) continue;
      if (modifiedAt.getTime() > oldest) youngKeys++;
      else yield key;
    }
  }
  await whileIdle(transaction, () => deleteObjects(options, staleKeys()));
  if (youngKeys > 0) await postponeGarbage(transaction, prefix, keepReplacedMs);
  else await forgetGarbage(transaction, [prefix]);
}

async function* keysOf(storage: CollectGarbageOptions['storage'], prefix: string): AsyncGenerator<string> {
  for await (const { key } of storage.list(prefix)) yield key;
}

async function deleteObjects(
  { storage, report }: CollectGarbageOptions,
  keys: AsyncIterable<string> | Iterable<string>,
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
