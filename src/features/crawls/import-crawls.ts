/**
 * Brings the counts of hosting processes from the store into Postgres: read an object → record the object and add its counts, in one
 * transaction → delete the object. If the process dies in between, the next run goes on, and no object is counted twice. Any number of
 * processes may run an import at once.
 */
import { pMapIterable } from 'p-map';
import type { Log } from '../../platform/log.ts';
import { type Database, inTransaction } from '../../platform/postgres/database.ts';
import {
  type ObjectDescription,
  type ObjectStorage,
  readBody,
} from '../../platform/storage/object-storage.ts';
import { CRAWLS_PREFIX, type CrawlCount, dayOfKey, MAX_BYTES, unpackCounts } from './crawl-object.ts';
import { addCrawls, recordImport } from './crawl-store.ts';

/**
 * `skipped`: the object was imported before, or is too old. `damaged`: hosting writes no such object. Skipped and damaged objects are
 * deleted, and their counts are not added.
 */
export type ImportOutcome = 'imported' | 'skipped' | 'damaged';

export interface ImportCrawlsOptions {
  readonly database: Database;
  readonly storage: Pick<ObjectStorage, 'get' | 'list' | 'deleteMany'>;
  readonly log: Log;
  readonly report: (outcome: ImportOutcome) => void;
}

/** The most objects of one run. The next run, a minute later, imports the rest. */
const MAX_OBJECTS = 2_000;
const AT_ONCE = 4;
/** One object that cannot be read or deleted must not hold up the other objects. MAX_FAILURES such objects are an outage. */
const MAX_FAILURES = 10;

/** Throws if the database fails, or if MAX_FAILURES objects cannot be read or deleted. */
export async function importCrawls(options: ImportCrawlsOptions): Promise<void> {
  const failures: unknown[] = [];
  const failed = (object: string, message: string) => (err: unknown) => {
    options.log.warn({ err, object }, message);
    failures.push(err);
  };
  const importOne = async (found: ObjectDescription) => {
    // The imports under way go on to their end.
    if (failures.length >= MAX_FAILURES) return;
    const { key } = found;
    const read = await readCounts(options, found).catch(failed(key, 'counts of crawls cannot be read'));
    if (read === undefined) return;
    options.report(read === 'damaged' ? read : await keep(options.database, key, read));
    await options.storage.deleteMany([key]).catch(failed(key, 'counts of crawls cannot be deleted'));
  };
  for await (const _ of pMapIterable(await listSome(options), importOne, { concurrency: AT_ONCE }));
  if (failures.length >= MAX_FAILURES) throw failures[0];
}

async function listSome({ storage }: ImportCrawlsOptions): Promise<ObjectDescription[]> {
  const found: ObjectDescription[] = [];
  for await (const object of storage.list(CRAWLS_PREFIX)) {
    found.push(object);
    if (found.length === MAX_OBJECTS) break;
  }
  return found;
}

interface ReadCounts {
  readonly day: string;
  readonly counts: readonly CrawlCount[];
}

/** Returns undefined if the object is gone. Throws if the store fails. */
async function readCounts(
  { storage, log }: ImportCrawlsOptions,
  { key, bytes }: ObjectDescription,
): Promise<ReadCounts | 'damaged' | undefined> {
  const damaged = (why: unknown) => {
    log.error({ err: why, object: key, bytes }, 'damaged counts of crawls are deleted');
    return 'damaged' as const;
  };
  const day = dayOfKey(key);
  if (day === undefined) return damaged(new Error('hosting writes no such key'));
  if (bytes > MAX_BYTES) return damaged(new Error('too large'));
  // A larger object may have replaced the listed object.
  const stored = await storage.get(key);
  if (stored === undefined) return undefined;
  if (stored.bytes > MAX_BYTES) {
    stored.body.destroy();
    return damaged(new Error('too large'));
  }
  const body = await readBody(stored, key);
  return unpackCounts(body).then((counts) => ({ day, counts }), damaged);
}

function keep(database: Database, key: string, { day, counts }: ReadCounts): Promise<ImportOutcome> {
  return inTransaction(database, async (transaction) => {
    if (!(await recordImport(transaction, key, day))) return 'skipped';
    await addCrawls(transaction, day, counts);
    return 'imported';
  });
}
