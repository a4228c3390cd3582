/**
 * Reads the past of a URL from the recorded lists of changes: the generations that added, changed or removed the URL. The lists go back as
 * far as generations are kept. Each comparison names the former generation, so the lists of a sitemap are a chain, from the newest to the
 * oldest. No files are compared, and large lists are left out.
 */
import { inflateLines } from '../../platform/gzip/line-parts.ts';
import { readObject } from '../../platform/storage/object-storage.ts';
import { changesKey } from '../sites/site.ts';
import type { FindScope } from './find-store.ts';
import { listRecordedChanges, listRemovals, type RecordedChanges, readSmallLists } from './history-store.ts';
import type { FilePlaces } from './scan-files.ts';

export interface PastChange {
  readonly generation: number;
  readonly publishedAt: Date;
  readonly by: string | null;
  /** The number of other URLs with the same change in that generation. */
  readonly others: number;
}

export interface UrlHistory {
  /** Undefined: the addition is not known. */
  readonly added?: PastChange | undefined;
  /** The last change. Undefined: no change is known. */
  readonly changed?: PastChange | undefined;
  /** The earliest generation that is known to have the URL. Undefined: only the live generation is known to have it. */
  readonly knownSince?: number | undefined;
}

export interface Removal extends PastChange {
  readonly domainId: string;
  readonly hostname: string;
  readonly sitemapName: string;
  /** The last generation that had the URL. Null: that generation is not kept. */
  readonly formerGeneration: number | null;
}

/** The most bytes of small lists that are read for one URL. */
const MOST_LIST_BYTES = 8 * 1024 * 1024;
/** The most objects of large lists that are read for one URL. An object has some 300 kB. */
const MOST_PARTS = 12;
/** The most lists that are fetched together. */
const LISTS_AT_ONCE = 10;

/** Reads the past of a URL that is in the live generation of a sitemap. */
export async function readHistory(
  places: FilePlaces,
  sitemap: { readonly domainId: string; readonly sitemapName: string; readonly uploadId: string },
  url: string,
): Promise<UrlHistory> {
  const lists = new ChangeLists(places, url);
  const recorded = new Map(
    (await listRecordedChanges(places.database, sitemap)).map((one) => [one.uploadId, one]),
  );
  let changed: PastChange | undefined;
  let knownSince: number | undefined;
  for (let next = recorded.get(sitemap.uploadId); next !== undefined; ) {
    if (next.state === 'first') return { added: pastChange(next, next.urlCount), changed, knownSince };
    if (next.state !== 'compared') break;
    const change = await lists.changeIn(next, [...recorded.values()]);
    if (change === 'unread' || change === 'removed') break;
    if (change === 'added') return { added: pastChange(next, next.added), changed, knownSince };
    if (change === 'changed') changed ??= pastChange(next, next.changed);
    knownSince = next.formerGeneration ?? knownSince;
    next = next.formerUploadId === null ? undefined : recorded.get(next.formerUploadId);
  }
  return { added: undefined, changed, knownSince };
}

/** Returns the last recorded removal of a URL that is in no sitemap of the scope. */
export async function findRemoval(
  places: FilePlaces,
  scope: FindScope,
  url: string,
): Promise<Removal | undefined> {
  const lists = new ChangeLists(places, url);
  const removals = await listRemovals(places.database, scope);
  /**
   * The sitemaps with a list that is unknown or cannot be read. Their older lists do not count, because this list may have a later removal.
   */
  const ended = new Set<string>();
  for (const one of removals) {
    const { domainId, hostname, sitemapName } = one;
    const sitemap = `${domainId} ${sitemapName}`;
    if (ended.has(sitemap)) continue;
    const change = one.state === 'compared' ? await lists.changeIn(one, removals) : 'unread';
    if (change === 'unread') ended.add(sitemap);
    if (change !== 'removed') continue;
    const formerGeneration = one.isFormerKept ? one.formerGeneration : null;
    return { ...pastChange(one, one.removed), domainId, hostname, sitemapName, formerGeneration };
  }
  return undefined;
}

function pastChange({ generation, publishedAt, by }: RecordedChanges, alike: number): PastChange {
  return { generation, publishedAt, by, others: Math.max(0, alike - 1) };
}

class ChangeLists {
  readonly #places: FilePlaces;
  /** The end of the URL's line in a list (`changeLines` in features/changes/comparison.ts). */
  readonly #wanted: Buffer;
  readonly #small = new Map<string, Buffer>();
  #bytesLeft = MOST_LIST_BYTES;
  #partsLeft = MOST_PARTS;

  constructor(places: FilePlaces, url: string) {
    this.#places = places;
    this.#wanted = Buffer.from(`"loc":${JSON.stringify(url)}}\n`);
  }

  /**
   * Returns the change of the URL in a list; undefined if the list lacks the URL. `unread`: the list is too large, missing or damaged.
   * `among`: all lists that may be wanted, in the order in which they are read.
   */
  async changeIn(
    one: RecordedChanges,
    among: readonly RecordedChanges[],
  ): Promise<'added' | 'changed' | 'removed' | 'unread' | undefined> {
    if (one.added + one.changed + one.removed === 0) return undefined;
    if (one.listBytes > 0) {
      if (!this.#small.has(one.uploadId)) await this.#fetch(one, among);
      const list = this.#small.get(one.uploadId);
      return list === undefined ? 'unread' : this.#changeOf(await inflateLines(list));
    }
    if (one.parts === 0 || one.parts > this.#partsLeft) return 'unread';
    this.#partsLeft -= one.parts;
    for (let n = 1; n <= one.parts; n++) {
      const part = await readObject(this.#places.storage, changesKey(one.uploadId, n));
      const lines = part && (await inflateLines(part).catch(() => undefined));
      if (lines === undefined) return 'unread';
      const change = this.#changeOf(lines);
      if (change !== undefined) return change;
    }
    return undefined;
  }

  async #fetch(one: RecordedChanges, among: readonly RecordedChanges[]): Promise<void> {
    const from = among.indexOf(one);
    const wanted: string[] = [];
    for (const { uploadId, listBytes } of among.slice(from, from + LISTS_AT_ONCE)) {
      if (listBytes === 0 || listBytes > this.#bytesLeft) continue;
      this.#bytesLeft -= listBytes;
      wanted.push(uploadId);
    }
    for (const [id, list] of await readSmallLists(this.#places.database, wanted)) this.#small.set(id, list);
  }

  #changeOf(lines: Buffer): 'added' | 'changed' | 'removed' | undefined {
    const at = lines.indexOf(this.#wanted);
    if (at === -1) return undefined;
    const start = lines.lastIndexOf(0x0a, at) + 1;
    return JSON.parse(lines.toString('utf8', start, at + this.#wanted.length)).change;
  }
}
