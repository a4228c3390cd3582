/**
 * Writes the next version of a domain's recent files (docs/decisions/0057):
 *
 * ```
 * last version, packs since then → merge → fragments → files → objects of a new upload id, listed as garbage first
 *   → one transaction: the new upload id replaces the last one, the rows of the packs are deleted → the site is written
 * ```
 * A process that dies before the commit leaves only garbage. Memory holds the packs, the records of all entries, and one file.
 */
import { gzipSync } from 'node:zlib';
import { contentDigest } from '../../platform/content-digest.ts';
import type { NewId } from '../../platform/ids.ts';
import { isoSeconds } from '../../platform/iso-seconds.ts';
import { NotYetVisible } from '../../platform/not-yet-visible.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { LeaseLost } from '../../platform/postgres/lease.ts';
import type { ObjectStorage } from '../../platform/storage/object-storage.ts';
import type { OpenChange } from '../domains/domain.ts';
import { lockDomain } from '../domains/domain-store.ts';
import type { RecentFeed } from '../domains/recent-objects.ts';
import { DamagedFile } from '../entries/entry-kernel.ts';
import { cutFiles } from '../sites/cut-files.ts';
import { addGarbage, rescueFromGarbage } from '../sites/garbage-store.ts';
import {
  feedKey,
  packKey,
  recentStateKey,
  type SiteOrigins,
  siteOrigin,
  uploadPrefix,
} from '../sites/site.ts';
import type { DueRecent } from './due-recent-store.ts';
import {
  checkObjects,
  createReadFragment,
  type LiveGenerations,
  readState,
  type Start,
  withoutState,
} from './last-version.ts';
import { type Merged, mergeChanges } from './merge-changes.ts';
import { newestChanges } from './newest-changes.ts';
import { type ChangedSince, readChanged } from './read-packs.ts';
import { type Change, type RecentState, writeRecentState } from './recent-state.ts';
import {
  deleteChanged,
  findLiveGenerations,
  type HeldVersion,
  keepVersion,
  lockVersion,
  type RecentVersion,
  readVersion,
  replaceVersion,
} from './recent-store.ts';
import { type Records, renumberSitemaps } from './records.ts';
import { feedUrl, renderFeed } from './render-feed.ts';
import { stitchFragments } from './stitch-fragments.ts';
import { WritingFiles } from './writing-files.ts';

export interface WriteRecentOptions extends SiteOrigins {
  readonly database: Database;
  readonly storage: Pick<ObjectStorage, 'get' | 'head' | 'put'>;
  readonly openChange: OpenChange;
  readonly newId: NewId;
  /** The WebSub hub that the feeds name. Undefined: the feeds name no hub. */
  readonly hub: string | undefined;
  /** The most entries of a version, and of a file. Only tests set them. */
  readonly maxUrls?: number;
  readonly entriesPerFile?: number;
  /** Returns the Unix time in seconds. Only tests set it. The default is the clock of the database. */
  readonly now?: () => number;
}

const ENTRIES_PER_FILE = 50_000;
/** The time within which a version is finished. After it, the objects of an unfinished version may be deleted. */
const UNFINISHED_MS = 3_600_000;
/** The time for which the objects of a replaced version stay. Within it, all hosting processes turn to the new objects. */
const REPLACED_MS = 15 * 60_000;

/**
 * Writes the next version. Returns undefined if it equals the last version. `newFeed`: the address of the feed, if its content is new and
 * the site is served. The site may show it only after a sweep. Throws LeaseLost, or the reason of `signal`.
 */
export async function writeRecent(
  options: WriteRecentOptions,
  due: DueRecent,
  signal: AbortSignal,
): Promise<{ readonly newFeed: string | undefined } | undefined> {
  const { database } = options;
  const read = await readVersion(database, due);
  const held = { ...read, now: options.now?.() ?? read.now };
  const since = await readChanged(options, due.domainId, held.now);
  // Read the sitemaps after the packs. If the sitemap of a pack is absent here, it is gone, and not new.
  const sitemaps = await findLiveGenerations(database, due.domainId);
  const start = await readState(options, held, sitemaps);
  const make = (start: Start) => makeVersion(options, due, { held, sitemaps, since, start, signal });
  const made = await make(start).catch((error) => {
    if (!(error instanceof DamagedFile)) throw error;
    return make(withoutState('unknown', held, sitemaps));
  });
  if ('isSame' in made) {
    await keepVersion(database, due, made.nextAt);
    return undefined;
  }
  await commitVersion(options, due, made, since.ids);
  const isNew = due.isServed && made.feed !== null && made.feed.etag !== held.feed?.etag;
  return { newFeed: isNew ? feedUrl(originOf(options, due)) : undefined };
}

interface Sources {
  readonly held: HeldVersion;
  readonly sitemaps: LiveGenerations;
  readonly since: ChangedSince;
  readonly start: Start;
  readonly signal: AbortSignal;
}

interface MadeVersion extends RecentVersion {
  /** The Unix time in seconds at which the next change leaves the window. */
  readonly nextAt: number | undefined;
}

/**
 * Makes the version and stores its objects. `isSame`: the version equals the last one. Throws DamagedFile if the last version is damaged.
 */
async function makeVersion(
  options: WriteRecentOptions,
  due: DueRecent,
  { held, sitemaps, since, start: { state, cuts, wasAhead }, signal }: Sources,
): Promise<MadeVersion | { readonly isSame: true; readonly nextAt: number | undefined }> {
  const windowFrom = held.now - due.hours * 3600;
  const { maxUrls } = options;
  const terms = { windowFrom, sitemaps, cuts, ...(maxUrls !== undefined && { maxUrls }) };
  const merged = mergeChanges(state, since.generations, terms);
  if (since.ids.length === 0 && !wasAhead && isSame(held, state, merged)) {
    await checkObjects(options, held);
    const lists = state === undefined ? [] : [state.entries, state.removed];
    return { isSame: true, nextAt: nextAtIn(lists, due.hours) };
  }
  const changes = await newestChanges(since.generations, state?.changes ?? [], (name) => sitemaps.has(name));
  const uploadId = options.newId('upload');
  await addGarbage(options.database, [uploadPrefix(uploadId)], UNFINISHED_MS);
  const writing = new WritingFiles(options.storage, uploadId, held);
  const read = createReadFragment(options, held, state);
  const fragments = stitchFragments(merged.sources, read);
  for await (const file of cutFiles(fragments, () => options.entriesPerFile ?? ENTRIES_PER_FILE)) {
    signal.throwIfAborted();
    await writing.add(file);
  }
  const { files, entries } = writing;
  const made = {
    files: files.map(({ file }) => file),
    urlCount: entries.count,
    cuts: writing.withDropped(merged),
    nextAt: nextAtIn([entries, merged.removed], due.hours),
  };
  if (entries.count + merged.removed.count + changes.length === 0)
    return { ...made, feed: null, uploadId: null };
  await storeState(options, uploadId, merged, writing, changes);
  const feed = await storeFeed(options, due, uploadId, { changes, held });
  return { ...made, feed, uploadId };
}

/** Whether the next version equals the last one. Call this function only if there are no packs. */
function isSame(
  { uploadId }: HeldVersion,
  state: RecentState | undefined,
  { sources, removed }: Merged,
): boolean {
  if (state === undefined) return uploadId === null;
  return removed.count === state.removed.count && sources.every(({ isDead }) => !isDead.includes(1));
}

function nextAtIn(lists: readonly Records[], hours: number): number | undefined {
  let oldest = Number.POSITIVE_INFINITY;
  for (const { times } of lists) for (const at of times) oldest = Math.min(oldest, at);
  return Number.isFinite(oldest) ? oldest + hours * 3600 : undefined;
}

async function storeState(
  { storage }: WriteRecentOptions,
  uploadId: string,
  { sitemaps, removed }: Merged,
  { files, fragments, entries: written }: WritingFiles,
  changes: Change[],
): Promise<void> {
  const { names, lists } = renumberSitemaps(sitemaps, [written, removed]);
  const [entries, gone] = lists as [Records, Records];
  const fragmentsFrom = files.map((file) => file.fragmentsFrom);
  const state = { fragments, entries, removed: gone, fragmentsFrom, changes, sitemaps: names };
  await storage.put(recentStateKey(uploadId), writeRecentState(state));
}

const originOf = (origins: SiteOrigins, { hostname, isSecure }: DueRecent) =>
  siteOrigin(origins, hostname, isSecure);

/** Stores the feed. Returns null if there are no changes. */
async function storeFeed(
  options: WriteRecentOptions,
  due: DueRecent,
  uploadId: string,
  { changes, held }: { readonly changes: readonly Change[]; readonly held: HeldVersion },
): Promise<RecentFeed | null> {
  const [newest, ...others] = changes;
  if (newest === undefined) return null;
  const terms = { hostname: due.hostname, origin: originOf(options, due), hub: options.hub };
  const xml = renderFeed([newest, ...others], terms);
  const gzip = gzipSync(xml);
  await options.storage.put(feedKey(uploadId), [gzip]);
  const etag = contentDigest([gzip]);
  const lastModified =
    held.feed?.etag === etag ? held.feed.lastModified : isoSeconds(new Date(1000 * held.now));
  return { bytes: Buffer.byteLength(xml), gzipBytes: gzip.length, etag, lastModified };
}

async function commitVersion(
  { openChange }: WriteRecentOptions,
  due: DueRecent,
  { nextAt, ...version }: MadeVersion,
  ids: readonly number[],
): Promise<void> {
  await using change = await openChange();
  const { transaction } = change;
  // Publishers lock the domain first, so another order could deadlock.
  if ((await lockDomain(transaction, due.domainId)) === undefined) throw new LeaseLost('the domain is gone');
  const replaced = await lockVersion(transaction, due);
  if (version.uploadId !== null && !(await rescueFromGarbage(transaction, uploadPrefix(version.uploadId)))) {
    throw new LeaseLost('the recent files were collected before their row was there');
  }
  const names = await deleteChanged(transaction, ids);
  await replaceVersion(transaction, due, version, nextAt);
  const packs = names.map((name) => packKey(due.domainId, name));
  if (packs.length > 0) await addGarbage(transaction, packs, 0);
  if (replaced !== null) await addGarbage(transaction, [uploadPrefix(replaced)], REPLACED_MS);
  await change.commit({ id: due.domainId, hostname: due.hostname }).catch((error) => {
    // The version is committed, and the sweep writes the site.
    if (!(error instanceof NotYetVisible)) throw error;
  });
}
