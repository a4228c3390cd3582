/**
 * Lists what a load reads, in order: its sources, and for a robots.txt or an index the sitemaps that it names. Their children are not
 * opened here. If one of them proves to be an index, its own children follow it (`read-object.ts`).
 */

import { addressIn, type BucketAddress, bucketAddress, hasWildcards } from './bucket-address.ts';
import { childUrls } from './child-urls.ts';
import { type AskedLoad, aboutSource, badSource, MAX_DEPTH, MAX_OBJECTS } from './load.ts';
import type { ListedObject } from './object-store.ts';
import {
  listBucket,
  type OpenedSource,
  openSource,
  type SourceReader,
  type SourceWatch,
  strongTag,
} from './open-source.ts';
import { readIndex, readSitemapLines } from './read-index.ts';
import { indexInBucket, SourceFailure } from './source-failure.ts';

/** The numbers between two objects, for the children of the first one. */
const ROOM = 50_000;
/** With indexes. So all numbers fit into 31 bits. */
const MAX_LISTED = 4 * MAX_OBJECTS;

export interface Listing {
  readonly objects: readonly ListedObject[];
  /** Sources that are missing, as the client allows. */
  readonly missing: number;
}

/** Throws Refusal, which names the source. */
export async function listSources(
  reader: SourceReader,
  asked: AskedLoad,
  watchOf: (url: string) => SourceWatch,
): Promise<Listing> {
  const objects: ListedObject[] = [];
  const known = new Set<string>();
  let missing = 0;
  let waiting = 0;
  const add = (object: Omit<ListedObject, 'n'>) => {
    objects.push({ ...object, n: objects.length * ROOM });
    known.add(object.url);
    if (!object.isIndex) waiting += 1;
    if (waiting > MAX_OBJECTS || objects.length > MAX_LISTED) {
      throw new SourceFailure('refused', `leads beyond ${MAX_OBJECTS} objects, the limit`);
    }
  };

  const lookIn = async (url: string, pattern: BucketAddress): Promise<void> => {
    const found = await listBucket(reader, pattern, watchOf(url));
    if (found.length === 0) throw new SourceFailure('missing', 'means no object');
    for (const { key, etag, bytes } of found) {
      const object = addressIn(pattern.bucket, key);
      if (known.has(object)) continue;
      add({ url: object, depth: 1, etag: listedTag(etag), bytes, isIndex: false });
    }
  };
  /** Returns the sitemaps of a robots.txt, which are to be opened, too. */
  const look = async (url: string): Promise<readonly string[]> => {
    try {
      const inBucket = bucketAddress(url);
      if (inBucket !== undefined && hasWildcards(inBucket)) {
        await lookIn(url, inBucket);
        return [];
      }
      await using source = await openSource(reader, url, null, watchOf(url));
      const isRobots = inBucket === undefined && new URL(url).pathname === '/robots.txt';
      if (!isRobots && source.kind === 'html') throw new SourceFailure('missing', 'is a page of HTML');
      if (!isRobots && source.kind !== 'index') {
        add({ url, depth: 1, etag: source.etag, bytes: source.bytes, isIndex: false });
        return [];
      }
      if (inBucket !== undefined) throw indexInBucket();
      add({ url, depth: 1, etag: null, bytes: null, isIndex: true });
      const children = await childrenOf(source, isRobots, asked, known);
      // The sitemaps of a robots.txt are often indexes, so they are opened. Those of an index rarely are.
      if (isRobots) return children;
      for (const child of children) add(unseen(child, 2));
    } catch (error) {
      if (!(error instanceof SourceFailure)) throw aboutSource(error, url);
      if (error.reason !== 'missing' || asked.onMissing === 'fail') throw badSource(url, error.message);
      missing += 1;
    }
    return [];
  };
  const open = async (url: string): Promise<void> => {
    if (known.has(url)) return;
    for (const child of await look(url)) await open(child);
  };
  for (const source of asked.sources) await open(source);
  if (waiting === 0) throw badSource(asked.sources[0]!, 'leads to no entries');
  return { objects, missing };
}

/** Lists the children of an object that is an index. Throws SourceFailure. */
export async function listChildren(
  { n, depth, url }: Pick<ListedObject, 'n' | 'depth' | 'url'>,
  source: OpenedSource,
  { allowHosts }: AskedLoad,
  findKnown: (urls: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<ListedObject[]> {
  // Children of children have no room for others.
  if (depth >= MAX_DEPTH || n % ROOM !== 0) {
    throw new SourceFailure('refused', `is an index below ${MAX_DEPTH - 1} others, which is too deep`);
  }
  const urls = childUrls(source.url, await readIndex(source.body), allowHosts, new Set([url]));
  const known = await findKnown(urls);
  return urls
    .filter((child) => !known.has(child))
    .map((child, i) => ({ ...unseen(child, depth + 1), n: n + 1 + i }));
}

async function childrenOf(
  source: OpenedSource,
  isRobots: boolean,
  { allowHosts }: AskedLoad,
  known: ReadonlySet<string>,
): Promise<string[]> {
  const locs = isRobots ? await readSitemapLines(source.body) : await readIndex(source.body);
  return childUrls(source.url, locs, allowHosts, known);
}

/** Some stores list entity tags without their quotation marks. */
function listedTag(etag: string | null): string | null {
  return etag === null ? null : strongTag(etag.startsWith('"') ? etag : `"${etag}"`);
}

function unseen(url: string, depth: number): Omit<ListedObject, 'n'> {
  return { url, depth, etag: null, bytes: null, isIndex: false };
}
