/**
 * Lists the objects of a load in order: its sources, the objects of a pattern in a bucket, and the sitemaps that a robots.txt or an index
 * names. The sitemaps of an index are not opened here. If such a sitemap proves to be an index itself, `read-object.ts` lists its children.
 */
import { pMapIterable } from 'p-map';
import { addressIn } from './bucket-address.ts';
import { childUrls } from './child-urls.ts';
import { type Glanced, glanceAt } from './glance-at.ts';
import { type AskedLoad, aboutSource, badSource, MAX_DEPTH, MAX_OBJECTS } from './load.ts';
import type { ListedObject } from './object-store.ts';
import { type OpenedSource, type SourceReader, type SourceWatch, strongTag } from './open-source.ts';
import { readIndex } from './read-index.ts';
import { SourceFailure } from './source-failure.ts';

/** The numbers between two objects, for the children of the first one. */
const ROOM = 50_000;
/** The most objects and indexes together. So all numbers fit into 31 bits. */
const MAX_LISTED = 4 * MAX_OBJECTS;

export interface Listing {
  readonly objects: readonly ListedObject[];
  /** The number of missing sources. The client allows them. */
  readonly missing: number;
}

/** The number of sources that are looked at at the same time. Each takes a connection for a moment. */
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
      throw new SourceFailure('refused', `leads beyond ${MAX_OBJECTS} objects, the limit`);
    }
  };

  /** Takes the objects of a source. Returns the sitemaps of a robots.txt: these must be opened, too. */
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
    // The sitemaps of a robots.txt are often indexes, so they are opened. The sitemaps of an index are rarely indexes.
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
      glanceAt(reader, url, watched(url)).then(
        (glanced) => ({ url, glanced }),
        (error: unknown) => ({ url, error }),
      );
    for await (const looked of pMapIterable(wanted, glance, { concurrency: AT_ONCE })) {
      const { url } = looked;
      // An index before this source lists the same address.
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

/** Lists the children of an object that is an index. Throws SourceFailure. */
export async function listChildren(
  { n, depth, url }: Pick<ListedObject, 'n' | 'depth' | 'url'>,
  source: OpenedSource,
  { allowHosts }: AskedLoad,
  findKnown: (urls: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<ListedObject[]> {
  // Children of children have no free numbers after them.
  if (depth >= MAX_DEPTH || n % ROOM !== 0) {
    throw new SourceFailure('refused', `is an index below ${MAX_DEPTH - 1} others, which is too deep`);
  }
  const urls = childUrls(source.url, await readIndex(source.body), allowHosts, new Set([url]));
  const known = await findKnown(urls);
  return urls
    .filter((child) => !known.has(child))
    .map((child, i) => ({ ...unseen(child, depth + 1), n: n + 1 + i }));
}

/** Some stores list entity tags without their quotation marks. */
function listedTag(etag: string | null): string | null {
  return etag === null ? null : strongTag(etag.startsWith('"') ? etag : `"${etag}"`);
}

function unseen(url: string, depth: number): Omit<ListedObject, 'n'> {
  return { url, depth, etag: null, bytes: null, isIndex: false };
}
