/** Deletes objects to which no row or site refers any more. */
import pMap from 'p-map';

import type { Log } from '../../platform/log.ts';
import { inTransaction, type Transaction, whileIdle } from '../../platform/postgres/database.ts';
import { steadyNow } from '../../platform/steady-clock.ts';
import type { ObjectStorage } from '../../platform/storage/object-storage.ts';
import {
  type DueGarbage,
  endSharingGenerations,
  readDuePages,
  takeDueGarbage,
  takeDueIndexes,
} from './due-garbage-store.ts';
import { evictExcess, type HastenGarbageOptions } from './evict-excess.ts';
import { forgetGarbage, postponeGarbage } from './garbage-store.ts';
import { readSite } from './read-site.ts';
import { trimGenerations } from './shared-file-store.ts';
import {
  changesKey,
  hostnameOfIndexesPrefix,
  keysOfFilePrefix,
  SITES_PREFIX,
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
 * Collects all garbage that is due. Any number of processes may run a collection at once. If a step or a prefix fails, the others are
 * still collected, and the error is thrown at the end. The next run finds the garbage that a run has left.
 */
export async function collectGarbage(options: CollectGarbageOptions): Promise<void> {
  const { database } = options;
  let collected = 0;
  const duePages = () => readDuePages(database, PAGE);
  const failures: unknown[] = [];
  let failingMs = 0;
  /** Does a part of a step. Returns whether it succeeded. Throws if failures have taken so long that the store must be out of reach. */
  const attempt = async (work: () => Promise<void>): Promise<boolean> => {
    const beganAt = steadyNow();
    try {
      await work();
      return true;
    } catch (error) {
      failingMs += steadyNow() - beganAt;
      if (failingMs > MOST_FAILING_MS) throw error;
      failures[0] ??= error;
      return false;
    }
  };
  /** Collects a portion of these prefixes, and returns the rest. */
  const collect = async (prefixes: readonly string[]): Promise<string[]> => {
    const portion = await inTransaction(database, (transaction) =>
      collectPortion(options, transaction, prefixes),
    );
    collected += portion.collected;
    return portion.left;
  };
  for (const step of [
    async () => {
      for await (const page of duePages()) {
        await inTransaction(database, (transaction) => endSharingGenerations(transaction, page));
      }
    },
    async () => {
      const trimNext = () =>
        inTransaction(database, (transaction) => trimGenerations(transaction, PORTION, PORTION_FILES));
      while ((await trimNext()) > 0);
    },
    async () => {
      for await (const page of duePages()) {
        let left = page.filter((prefix) => !prefix.startsWith(SITES_PREFIX));
        const collectNext = async () => {
          left = await collect(left);
        };
        while (left.length > 0) {
          if (await attempt(collectNext)) continue;
          // One object that the store does not delete must not keep all others.
          for (const prefix of left) await attempt(async () => void (await collect([prefix])));
          left = [];
        }
      }
    },
    async () => {
      for await (const page of duePages()) {
        // Collect one site at a time, so that a transaction holds the lock of one site only.
        for (const prefix of page.filter((each) => each.startsWith(SITES_PREFIX))) {
          await attempt(async () => {
            const isOurs = await inTransaction(database, (transaction) =>
              collectIndexes(options, transaction, prefix),
            );
            if (isOurs) collected++;
          });
        }
      }
    },
    // The eviction comes last, because the uploads that it hastens are due only at a later run.
    () => evictExcess(options),
  ]) {
    await step().catch((error) => failures.push(error));
  }
  if (collected > 0) options.log.info({ collected }, 'garbage collected');
  if (failures.length > 0) throw failures[0];
}

/** The most time that a run spends on failing work. */
const MOST_FAILING_MS = 60_000;
/** The most prefixes of a page. A look at a prefix may read the rows of all files of an upload. Still, a page takes well below a second. */
const PAGE = 500;
/** The most prefixes that one transaction collects. Most uploads are small. */
const PORTION = 100;
/** The most files of a portion. If the process dies, the work on one portion is lost. */
const PORTION_FILES = 1000;
/** An estimate for the files of an upload that was never published. No row has their number. */
const UNKNOWN_FILES = 100;
const LISTS_AT_ONCE = 16;

/** Collects some of these due prefixes. Returns the number of collected prefixes, and the prefixes that are left to look at. */
async function collectPortion(
  options: CollectGarbageOptions,
  transaction: Transaction,
  prefixes: readonly string[],
): Promise<{ readonly collected: number; readonly left: string[] }> {
  const due = await takeDueGarbage(transaction, prefixes, PORTION);
  if (due.length === 0) return { collected: 0, left: [] };
  let files = 0;
  // Take at least one prefix. Leave the prefixes beyond PORTION_FILES for the next portion.
  const portion = due.filter((each, i) => {
    files += each.files ?? (keysOfFilePrefix(each.prefix) === undefined ? UNKNOWN_FILES : 1);
    return i === 0 || files <= PORTION_FILES;
  });
  const taken = portion.map(({ prefix }) => prefix);
  // Delete the rows first. If an upload is live after all, its row cannot be deleted, and no object is deleted either.
  await forgetGarbage(transaction, taken);
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
  return { collected: taken.length, left: prefixes.slice(prefixes.indexOf(taken.at(-1)!) + 1) };
}

/**
 * Returns the keys of objects that the database knows, so that the store need not list them. Most small uploads have no objects, and a
 * listing costs more than all other requests for such an upload.
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
 * Deletes the indexes, sections and volumes of a site. Leaves live objects, and young objects that hosting or a crawler may still fetch.
 * Returns false if the prefix is not due.
 */
async function collectIndexes(
  options: CollectGarbageOptions,
  transaction: Transaction,
  prefix: string,
): Promise<boolean> {
  if (!(await takeDueIndexes(transaction, prefix))) return false;
  const hostname = hostnameOfIndexesPrefix(prefix)!;
  const { storage, keepReplacedMs } = options;
  // Exclude writers of the site. An index that a writer is about to name in site.json must not look unused.
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
  return true;
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
