/**
 * Decides which entries the next version of the recent files has. They come from the last version and from the packs since then. Leaves out
 * an entry if
 *
 * - its URL was removed or changed again later,
 * - its change is out of the window,
 * - its sitemap is gone,
 * - its change is not newer than the cut of its sitemap. A cut says that changes up to its generation are missing, and why.
 *
 * The pack of a generation may come after the pack of a later generation, because the comparison of a long list takes time. So the state
 * also has the URLs that were removed in the window.
 */
import { areMany, type LeftOutReason } from '../entries/changed-entries.ts';
import type { EntryPack } from '../entries/entry-pack.ts';
import { KEY_BYTES } from '../entries/key-list.ts';
import type { Fragment } from '../sites/fragment.ts';
import { KeyTable } from './key-table.ts';
import type { PlacedFragment, RecentState } from './recent-state.ts';
import { filterRecords, joinRecords, type Records } from './records.ts';

/** The most entries of the recent files, and the most removed URLs that are known. */
const MAX_RECENT_URLS = 500_000;

/** The changes of a generation, or the reason why its changes are unknown. `at`: Unix time in seconds. */
export type ChangedGeneration = {
  readonly sitemapName: string;
  readonly seq: number;
  readonly at: number;
} & ({ readonly pack: EntryPack } | { readonly leftOut: LeftOutReason });

/** The changes of a sitemap up to the generation `seq` are missing. The last missing change came at `at`, a Unix time in seconds. */
export interface Cut {
  readonly sitemapName: string;
  readonly reason: LeftOutReason;
  readonly seq: number;
  readonly at: number;
}

interface MergeTerms {
  /** Changes at or before this second are out of the window. */
  readonly windowFrom: number;
  /** The live sitemaps, by name, with the numbers of their URLs. */
  readonly sitemaps: ReadonlyMap<string, { readonly urls: number }>;
  /** The cuts from which the next version starts (`last-version.ts`). */
  readonly cuts: readonly Cut[];
  /** The default is MAX_RECENT_URLS. Only tests set it. */
  readonly maxUrls?: number;
}

/** Fragments with the records of their entries, in order. `isDead`: 1 for each entry that is left out. */
export interface Source {
  readonly fragments: readonly (Fragment | PlacedFragment)[];
  readonly records: Records;
  readonly isDead: Uint8Array;
}

export interface Merged {
  /** The newest pack comes first, and the last version comes last. */
  readonly sources: readonly Source[];
  readonly removed: Records;
  /** The names of sitemaps. The records have places in this list. */
  readonly sitemaps: readonly string[];
  readonly cuts: readonly Cut[];
}

/** Merges the changes. `generations`: newest first. */
export function mergeChanges(
  state: RecentState | undefined,
  generations: readonly ChangedGeneration[],
  terms: MergeTerms,
): Merged {
  return new Merging(state, generations, terms).run();
}

class Merging {
  readonly #terms: MergeTerms;
  readonly #names = new Map<string, number>();
  readonly #cuts = new Map<string, Cut>();
  /** The entries of each pack, and after them the entries of the last version. */
  readonly #entries: Source[] = [];
  readonly #removed: Source[] = [];
  readonly #packs: number;

  constructor(state: RecentState | undefined, generations: readonly ChangedGeneration[], terms: MergeTerms) {
    this.#terms = terms;
    for (const name of state?.sitemaps ?? []) this.#numberOf(name);
    for (const cut of terms.cuts) this.#cut(cut);
    for (const generation of generations) {
      if ('leftOut' in generation) this.#cut({ ...generation, reason: generation.leftOut });
      else this.#addPack(generation, generation.pack);
    }
    this.#packs = this.#entries.length;
    if (state !== undefined) {
      this.#entries.push(sourceOf(state.entries, state.fragments));
      this.#removed.push(sourceOf(state.removed));
    }
  }

  run(): Merged {
    this.#keepNewest();
    this.#killOutside();
    this.#cutManyChanges();
    const most = this.#terms.maxUrls ?? MAX_RECENT_URLS;
    killOldest(this.#entries, most, (sitemap, { seq, at }) => {
      this.#cut({ sitemapName: this.#nameOf(sitemap), reason: 'limit', seq, at });
    });
    killOldest(this.#removed, most);
    const removed = this.#removed.map(({ records, isDead }) =>
      filterRecords(records, (i) => isDead[i] === 0),
    );
    const { windowFrom, sitemaps } = this.#terms;
    const cuts = [...this.#cuts.values()].filter(
      ({ sitemapName, at }) => at > windowFrom && sitemaps.has(sitemapName),
    );
    return {
      sources: this.#entries,
      removed: joinRecords(removed),
      sitemaps: [...this.#names.keys()],
      cuts,
    };
  }

  #numberOf(name: string): number {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    this.#names.set(name, this.#names.size);
    return this.#names.size - 1;
  }

  #nameOf(number: number): string {
    return [...this.#names.keys()][number]!;
  }

  #cut({ sitemapName, reason, seq, at }: Cut): void {
    this.#cuts.set(sitemapName, laterCut(this.#cuts.get(sitemapName), { sitemapName, reason, seq, at }));
  }

  #addPack({ sitemapName, seq, at }: Omit<Cut, 'reason'>, { keys, removedKeys, fragments }: EntryPack): void {
    const sitemap = this.#numberOf(sitemapName);
    const recordsWith = (keys: Buffer): Records => {
      const count = keys.length / KEY_BYTES;
      const all = (value: number) => new Uint32Array(count).fill(value);
      return { count, keys, times: all(at), seqs: all(seq), sitemaps: all(sitemap) };
    };
    this.#entries.push(sourceOf(recordsWith(keys), fragments));
    this.#removed.push(sourceOf(recordsWith(removedKeys)));
  }

  /** Leaves out all records of a URL but its newest record. */
  #keepNewest(): void {
    const lists = this.#entries.flatMap((entries, i) => [entries, this.#removed[i]!]);
    // The table needs only the records of packs, because the last version has at most one record of a URL.
    const ofPacks = lists.slice(0, 2 * this.#packs);
    const table = new KeyTable(ofPacks.reduce((sum, { records }) => sum + records.count, 0));
    const places: Place[] = [];
    let from = 0;
    for (const [n, source] of lists.entries()) {
      const { keys, seqs, count } = source.records;
      const isOfPack = n < ofPacks.length;
      if (isOfPack) places.push({ source, from });
      for (let i = 0; i < count; i++) {
        const known = table.find(keys, i);
        const later = known === undefined ? undefined : placeOf(places, known);
        if (later !== undefined && later.source.records.seqs[later.i]! >= seqs[i]!) {
          source.isDead[i] = 1;
          continue;
        }
        if (later !== undefined) later.source.isDead[later.i] = 1;
        if (isOfPack) table.set(keys, i, from + i);
      }
      from += count;
    }
  }

  /** Leaves out changes outside the window, changes up to a cut, and changes of sitemaps that are gone. */
  #killOutside(): void {
    const { windowFrom, sitemaps } = this.#terms;
    const cutAt = [...this.#names.keys()].map((name) =>
      sitemaps.has(name) ? (this.#cuts.get(name)?.seq ?? 0) : Number.POSITIVE_INFINITY,
    );
    eachAlive([...this.#entries, ...this.#removed], ({ records: { times, seqs, sitemaps }, isDead }, i) => {
      if (times[i]! <= windowFrom || seqs[i]! <= cutAt[sitemaps[i]!]!) isDead[i] = 1;
    });
  }

  /** Leaves out all entries of a sitemap with many changed URLs, and cuts the sitemap at its newest change. */
  #cutManyChanges(): void {
    const counts = new Uint32Array(this.#names.size);
    eachAlive(this.#entries, ({ records }, i) => {
      counts[records.sitemaps[i]!]!++;
    });
    const isMany = [...this.#names.keys()].map((name, n) =>
      areMany(counts[n]!, this.#terms.sitemaps.get(name)?.urls ?? 0),
    );
    if (!isMany.includes(true)) return;
    const ends = new NewestOfEach();
    eachAlive(this.#entries, ({ records, isDead }, i) => {
      if (!isMany[records.sitemaps[i]!]) return;
      isDead[i] = 1;
      ends.add(records, i);
    });
    for (const [sitemap, end] of ends.bySitemap) {
      this.#cut({ sitemapName: this.#nameOf(sitemap), reason: 'many-changes', ...end });
    }
  }
}

/** Joins two cuts of a sitemap. The result has the reason and the time of the later cut, and the higher generation of both cuts. */
export function laterCut(former: Cut | undefined, cut: Cut): Cut {
  if (former === undefined) return cut;
  return { ...(former.at > cut.at ? former : cut), seq: Math.max(former.seq, cut.seq) };
}

/** The newest generation and time of each sitemap in some records. */
export class NewestOfEach {
  readonly bySitemap = new Map<number, { readonly seq: number; readonly at: number }>();

  add({ times, seqs, sitemaps }: Records, i: number): void {
    const former = this.bySitemap.get(sitemaps[i]!);
    if (former !== undefined && former.seq >= seqs[i]! && former.at >= times[i]!) return;
    const { seq = 0, at = 0 } = former ?? {};
    this.bySitemap.set(sitemaps[i]!, { seq: Math.max(seq, seqs[i]!), at: Math.max(at, times[i]!) });
  }
}

const sourceOf = (records: Records, fragments: Source['fragments'] = []): Source => ({
  fragments,
  records,
  isDead: new Uint8Array(records.count),
});

function eachAlive(sources: readonly Source[], visit: (source: Source, i: number) => void): void {
  for (const source of sources) {
    for (let i = 0; i < source.records.count; i++) if (source.isDead[i] === 0) visit(source, i);
  }
}

/** Leaves out the oldest records until at most `most` are left. All changes of a second go together, so a cut can name their time. */
function killOldest(
  sources: readonly Source[],
  most: number,
  onKilled: (sitemap: number, newest: { readonly seq: number; readonly at: number }) => void = () => {},
): void {
  let count = 0;
  eachAlive(sources, () => count++);
  if (count <= most) return;
  const times = new Uint32Array(count);
  let n = 0;
  eachAlive(sources, ({ records }, i) => {
    times[n++] = records.times[i]!;
  });
  times.sort();
  const lastKilled = times[count - most - 1]!;
  const killed = new NewestOfEach();
  eachAlive(sources, ({ records, isDead }, i) => {
    if (records.times[i]! > lastKilled) return;
    isDead[i] = 1;
    killed.add(records, i);
  });
  for (const [sitemap, newest] of killed.bySitemap) onKilled(sitemap, newest);
}

/** The records of a source, and the number of its first record. The records of all packs share one numbering. */
interface Place {
  readonly source: Source;
  readonly from: number;
}

/** Finds a record by its number. The record is in the last list whose `from` is not above the number. */
function placeOf(places: readonly Place[], number: number): { readonly source: Source; readonly i: number } {
  let [first, end] = [0, places.length];
  while (end - first > 1) {
    const middle = (first + end) >> 1;
    if (places[middle]!.from <= number) first = middle;
    else end = middle;
  }
  const { source, from } = places[first]!;
  return { source, i: number - from };
}
