/**
 * Lists the objects of a load in order: its sources, the objects of a pattern in a bucket, and the sitemaps that a robots.txt or an index
 * names. The sitemaps of an index are not opened here. If one of them proves to be an index, `read-object.ts` lists its children.
 */
import { pMapIterable } from 'p-map';
import { MAX_URL_LENGTH } from '../../../core/sitemap/limits.ts';
import type { BucketObject } from '../../../platform/buckets/list-page.ts';
import { shownText } from '../../../platform/shown-value.ts';
import { registeredName } from '../../domains/dns-zone.ts';
import { addressIn, bucketAddress, hasWildcards } from './bucket-address.ts';
import { type AskedLoad, aboutSource, badSource, MAX_DEPTH, MAX_OBJECTS, shownAddress } from './load.ts';
import type { ListedObject } from './object-store.ts';
import {
  listBucket,
  type OpenedSource,
  openSource,
  Patience,
  type SourceReader,
  type SourceWatch,
  strongTag,
} from './open-source.ts';
import { readIndex, readSitemapLines } from './read-index.ts';
import { indexInBucket, refused, SourceFailure } from './source-failure.ts';

/** The distance between the numbers of successive objects. The children of an object get the numbers between its own and the next one. */
const ROOM = 50_000;
/** The most objects and indexes together. So all numbers fit into 31 bits. */
const MAX_LISTED = 4 * MAX_OBJECTS;

export interface Listing {
  readonly objects: readonly ListedObject[];
  /** The number of missing sources. It is 0 unless `onMissing` is `skip`. */
  readonly missing: number;
}

/** The number of sources that are opened at the same time. Each takes a connection for a moment. */
const AT_ONCE = 4;

/** Lists the objects of the sources. Throws Refusal with the name of the source. */
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
      throw refused(`leads beyond ${MAX_OBJECTS} objects, the limit`);
    }
  };

  /** Adds the objects of a source. Returns the sitemaps of a robots.txt, because they must be opened, too. */
  const take = (url: string, glanced: Glanced): readonly string[] => {
    if (glanced.kind === 'bucket') {
      for (const { key, etag, bytes } of glanced.found) {
        const object = addressIn(glanced.bucket, key);
        if (!known.has(object)) add({ url: object, depth: 1, etag: listedTag(etag), bytes, isIndex: false });
      }
      return [];
    }
    if (glanced.kind === 'object') {
      add({ url, depth: 1, etag: glanced.etag, bytes: glanced.bytes, isIndex: false });
      return [];
    }
    add({ url, depth: 1, etag: null, bytes: null, isIndex: true });
    const children = childUrls(glanced.url, glanced.locs, asked.allowHosts, known);
    // The sitemaps of a robots.txt are often indexes, so the caller opens them. The sitemaps of an index are rarely indexes.
    if (glanced.kind === 'robots') return children;
    for (const child of children) add(unseen(child, 2));
    return [];
  };
  const over = new AbortController();
  const watched = (url: string): SourceWatch => {
    const watch = watchOf(url);
    return { ...watch, signal: AbortSignal.any([watch.signal, over.signal]) };
  };
  const open = async (urls: readonly string[]): Promise<void> => {
    const wanted = new Set(urls.filter((url) => !known.has(url)));
    const glance = (url: string) =>
      glancePatiently(reader, url, watched(url)).then(
        (glanced) => ({ url, glanced }),
        (error: unknown) => ({ url, error }),
      );
    for await (const looked of pMapIterable(wanted, glance, { concurrency: AT_ONCE })) {
      const { url } = looked;
      // A list before this source may have the same address.
      if (known.has(url)) continue;
      let more: readonly string[] = [];
      try {
        if ('error' in looked) throw looked.error;
        more = take(url, looked.glanced);
      } catch (error) {
        if (!(error instanceof SourceFailure)) throw aboutSource(error, url);
        if (error.reason !== 'missing' || asked.onMissing === 'fail') throw badSource(url, error.message);
        missing += 1;
      }
      await open(more);
    }
  };
  try {
    await open(asked.sources);
  } finally {
    over.abort();
  }
  if (waiting === 0) throw badSource(asked.sources[0]!, 'leads to no entries');
  return { objects, missing };
}

type Glanced =
  | { readonly kind: 'object'; readonly etag: string | null; readonly bytes: number | null }
  /** `url`: the address that answered. */
  | { readonly kind: 'index' | 'robots'; readonly url: string; readonly locs: readonly string[] }
  | { readonly kind: 'bucket'; readonly bucket: string; readonly found: readonly BucketObject[] };

/** As `glanceAt`. Also tries again if a connection breaks after the head of its answer. */
function glancePatiently(reader: SourceReader, url: string, watch: SourceWatch): Promise<Glanced> {
  const patience = new Patience(reader, watch);
  return patience.until(() => glanceAt(reader, url, watch, patience));
}

/**
 * Tells whether a source is an object or lists other objects. Reads lists to their end, but not objects. Throws SourceFailure and Refusal.
 */
async function glanceAt(
  reader: SourceReader,
  url: string,
  watch: SourceWatch,
  patience: Patience,
): Promise<Glanced> {
  const inBucket = bucketAddress(url);
  if (inBucket !== undefined && hasWildcards(inBucket)) {
    const found = await listBucket(reader, inBucket, watch);
    if (found.length === 0) throw new SourceFailure('missing', 'means no object');
    return { kind: 'bucket', bucket: inBucket.bucket, found };
  }
  await using source = await openSource(reader, url, null, watch, patience);
  const { etag, bytes, body } = source;
  if (inBucket === undefined && new URL(url).pathname === '/robots.txt') {
    return { kind: 'robots', url: source.url, locs: await readSitemapLines(body) };
  }
  if (source.kind === 'html') throw new SourceFailure('missing', 'is a page of HTML');
  if (source.kind !== 'index') return { kind: 'object', etag, bytes };
  if (inBucket !== undefined) throw indexInBucket();
  return { kind: 'index', url: source.url, locs: await readIndex(body) };
}

/** Lists the children of an object that is an index. Throws SourceFailure. */
export async function listChildren(
  { n, depth, url }: Pick<ListedObject, 'n' | 'depth' | 'url'>,
  source: OpenedSource,
  { allowHosts }: AskedLoad,
): Promise<ListedObject[]> {
  // Only the objects of `listSources` have free numbers after them.
  if (depth >= MAX_DEPTH || n % ROOM !== 0) {
    throw refused(`is an index below ${MAX_DEPTH - 1} others, which is too deep`);
  }
  const urls = childUrls(source.url, await readIndex(source.body), allowHosts, new Set([url]));
  return urls.map((child, i) => ({ ...unseen(child, depth + 1), n: n + 1 + i }));
}

/** Some stores list entity tags without their quotation marks. */
function listedTag(etag: string | null): string | null {
  return etag === null ? null : strongTag(etag.startsWith('"') ? etag : `"${etag}"`);
}

function unseen(url: string, depth: number): Omit<ListedObject, 'n'> {
  return { url, depth, etag: null, bytes: null, isIndex: false };
}

/**
 * `index`: the address that answered. Relative addresses are resolved against it. Leaves out repeated addresses, and those in `known`.
 * Throws SourceFailure for an address that is too long or not of the web. Also throws it for a host of another registrable domain that is
 * not in `allowHosts`.
 */
export function childUrls(
  index: string,
  locs: readonly string[],
  allowHosts: readonly string[],
  known: ReadonlySet<string>,
): string[] {
  const own = registeredName(new URL(index).hostname);
  const found = new Set<string>();
  for (const loc of locs) {
    if (loc.length > MAX_URL_LENGTH)
      throw refused(`lists an address of more than ${MAX_URL_LENGTH} characters`);
    const url = URL.parse(loc, index);
    if (url === null) throw refused(`lists ${JSON.stringify(shownText(loc))}, which is no address`);
    const { hostname, protocol } = url;
    // Only the owner of a connection may name addresses in buckets.
    if (protocol !== 'https:' && protocol !== 'http:') {
      throw refused(`lists ${JSON.stringify(shownText(loc))}, which is no address of the web`);
    }
    if (registeredName(hostname) !== own && !allowHosts.includes(hostname)) {
      throw refused(
        `lists ${shownAddress(url.href)}, which is of another domain; name ${hostname} in allowHosts if it is yours`,
      );
    }
    url.hash = '';
    if (!known.has(url.href)) found.add(url.href);
  }
  return [...found];
}
