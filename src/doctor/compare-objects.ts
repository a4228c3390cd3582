/**
 * Compares the objects in the store with those that the database refers to. Uploads come and go meanwhile, so whatever
 * looks wrong is looked at again: files are staged before they are referred to, and listed as garbage before that.
 */
import { pMapIterable } from 'p-map';
import type { Database, Transaction } from '../platform/database.ts';
import type { ObjectStorage } from '../platform/object-storage.ts';
import { isBeingPublished } from '../sites/publish-site.ts';
import { readSite } from '../sites/read-site.ts';
import { siteIndexKey, siteKey, UPLOADS_PREFIX, uploadPrefix } from '../sites/site.ts';
import { findSiteDomain } from '../sites/site-store.ts';
import {
  createObjectTable,
  createSuspectTable,
  insertObjects,
  isLiveUpload,
  listLiveUploads,
  listSuspects,
  type Suspect,
} from './doctor-store.ts';
import type { Finding } from './finding.ts';

export interface ComparisonParts {
  readonly database: Database;
  readonly storage: Pick<ObjectStorage, 'get' | 'head' | 'list'>;
}

/** Per kind: a store that lost everything is not looked through to its end. */
export const MAX_FINDINGS = 1000;
const PAGE = 5000;
const CONCURRENCY = 16;

/** Returns how many objects were listed. */
export async function* compareObjects(
  parts: ComparisonParts,
  hostname: string | undefined,
): AsyncGenerator<Finding, number> {
  const session = await parts.database.connect();
  try {
    await createObjectTable(session);
    const listed = await copyListing(parts, session, hostname);
    await createSuspectTable(session, hostname ?? null);
    yield* judge(session, 'file', (suspect) => judgeFile(parts, suspect));
    yield* judge(session, 'extra', (suspect) => judgeExtra(parts, suspect));
    return listed;
  } finally {
    // The temporary tables go with the connection.
    session.release(true);
  }
}

async function copyListing(
  parts: ComparisonParts,
  session: Transaction,
  hostname: string | undefined,
): Promise<number> {
  let listed = 0;
  let page: { key: string; bytes: number }[] = [];
  for (const prefix of await prefixesOf(parts.database, hostname)) {
    for await (const { key, bytes } of parts.storage.list(prefix)) {
      page.push({ key, bytes });
      listed++;
      if (page.length < PAGE) continue;
      await insertObjects(session, page);
      page = [];
    }
  }
  await insertObjects(session, page);
  return listed;
}

async function prefixesOf(database: Database, hostname: string | undefined): Promise<string[]> {
  if (hostname === undefined) return ['sites/', UPLOADS_PREFIX];
  const uploads = await listLiveUploads(database, hostname);
  return [`sites/${hostname}/`, ...uploads.map(({ id }) => uploadPrefix(id))];
}

async function* judge(
  session: Transaction,
  kind: Suspect['kind'],
  judgeOne: (suspect: Suspect) => Promise<Finding | undefined>,
): AsyncGenerator<Finding> {
  let found = 0;
  let after = '';
  for (;;) {
    const suspects = await listSuspects(session, kind, after, PAGE);
    for await (const finding of pMapIterable(suspects, judgeOne, { concurrency: CONCURRENCY })) {
      if (finding === undefined) continue;
      yield finding;
      if (++found === MAX_FINDINGS) return;
    }
    if (suspects.length < PAGE) return;
    after = suspects.at(-1)!.key;
  }
}

/** It may have been published since the listing, and it may have been replaced and collected. */
async function judgeFile(
  { database, storage }: ComparisonParts,
  { key, hostname, bytes }: Suspect,
): Promise<Finding | undefined> {
  const stored = await storage.head(key);
  if (stored?.bytes === bytes || !(await isLiveUpload(database, key.split('/')[1]!))) return undefined;
  const finding = { subject: key, hostname: hostname ?? '' };
  if (stored === undefined) return { ...finding, problem: 'missing file', detail: `${bytes} bytes` };
  return { ...finding, problem: 'damaged file', detail: `${stored.bytes} bytes instead of ${bytes}` };
}

/** What is discarded or collected loses its objects first and its rows second, so by now it is gone. */
async function judgeExtra(
  { database, storage }: ComparisonParts,
  { key }: Suspect,
): Promise<Finding | undefined> {
  const hostname = /^sites\/([^/]+)\//.exec(key)?.[1];
  if (hostname !== undefined) {
    if (await isBeingPublished(database, hostname)) return undefined;
    if ((await findSiteDomain(database, hostname))?.isServed) {
      // A site that is stale names an index that is not the newest.
      const site = await readSite(storage, hostname).catch(() => undefined);
      if (site !== undefined && key === siteIndexKey(hostname, site.generation)) return undefined;
    }
  }
  const stored = await storage.head(key);
  if (stored === undefined) return undefined;
  const finding = { subject: key, hostname: hostname ?? '' };
  if (hostname !== undefined && key === siteKey(hostname)) {
    return { ...finding, problem: 'extra site', detail: 'no verified domain has this hostname' };
  }
  return { ...finding, problem: 'extra object', detail: `${stored.bytes} bytes` };
}
