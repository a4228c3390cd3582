/**
 * Finds a URL in the live sitemaps of an account. Reads the indexes of files, and files without an index. If no sitemap has the URL, finds
 * URLs near it.
 */
import pMap from 'p-map';
import { UnreadableFile } from '../entries/stream-xml.ts';
import {
  type FindLimits,
  type FindScope,
  findSearched,
  findState,
  listIndexedFiles,
  listPublished,
  type PublishedFile,
  type Searched,
} from './find-store.ts';
import { forgetUrlIndex } from './index-store.ts';
import { LocKernel } from './loc-kernel.ts';
import { type NearUrl, nearUrls } from './near-urls.ts';
import { readFound } from './read-found.ts';
import { type FilePlaces, FileScanner } from './scan-files.ts';
import type { IndexedPlace } from './url-index.ts';
import type { UrlIndexesReader } from './url-indexes-reader.ts';

interface FindUrlOptions extends FilePlaces {
  readonly indexes: UrlIndexesReader;
  readonly limits?: Partial<FindLimits>;
}

/** An entry where it is published. */
export interface FoundEntry {
  readonly file: PublishedFile;
  /** The `<url>` element. */
  readonly entry: string;
}

export interface FoundUrl {
  /** The files that have the URL. */
  readonly places: readonly FoundEntry[];
  /** Entries of URLs near the wanted URL. Empty if there are places. */
  readonly near: readonly (FoundEntry & NearUrl)[];
  /** Whether there are places or near URLs that are not listed. */
  readonly hasMore: boolean;
  /** The number of files that were not searched, because they are missing or damaged, or because too many have no index. */
  readonly filesLeft: number;
  /** The number of `filesLeft` that are missing or damaged. An index does not help with these. */
  readonly filesUnreadable: number;
  readonly sitemaps: number;
  readonly sitemapsLeft: number;
}

/** 256 MiB of XML, some 2 million plain entries, take about a second. */
const LIMITS: FindLimits = { sitemaps: 10_000, files: 2000, bytes: 256 * 1024 ** 2 };
/** The most files whose entries are shown. */
const MOST_SHOWN = 100;
const READS_AT_ONCE = 8;
const MOST_ATTEMPTS = 3;

/** Finds a URL. `url`: as `normaliseUrl` writes it. */
export async function findUrl(options: FindUrlOptions, scope: FindScope, url: string): Promise<FoundUrl> {
  const limits = { ...LIMITS, ...options.limits };
  const nears = nearUrls(url);
  const scanner = new FileScanner(options, [url, ...nears.map((near) => near.url)]);
  for (let attempt = 1; ; attempt++) {
    const searched = await findSearched(options.database, scope, limits);
    const isLast = attempt === MOST_ATTEMPTS;
    const found = await new LookUp(options, scope, scanner, limits, isLast).run(searched, url, nears);
    if (found.places.length > 0 || isLast) return found;
    // If something was published meanwhile, look again. The URL may have moved from a file that was not read yet to a file already read.
    if ((await findState(options.database, scope, limits)) === searched.state) return found;
  }
}

/** A file in which a scan or an index has found the hash of the URL. Another URL may have the same hash. Only an index tells the place. */
interface Clue {
  readonly url: string;
  readonly uploadId: string;
  readonly uploadN: number;
  readonly place?: IndexedPlace;
  /** Whether the file was live when the look-up began. An index also names files that were replaced earlier. */
  readonly wasLive?: boolean;
}

const keyOf = ({ uploadId, uploadN }: Pick<Clue, 'uploadId' | 'uploadN'>) => `${uploadId} ${uploadN}`;

class LookUp {
  readonly #options: FindUrlOptions;
  readonly #scope: FindScope;
  /** Searches for the URL and for URLs near it at once, because each file is searched only once. */
  readonly #scanner: FileScanner;
  /**
   * Whether a file that was replaced since the look-up began counts as published. A file that deltas write again and again is always
   * replaced meanwhile.
   */
  readonly #takesReplaced: boolean;
  readonly #kernel = new LocKernel();
  #filesLeft = 0;
  readonly #unreadable = new Set<string>();
  readonly #damaged = new Set<Searched['indexes'][number]>();
  #hasMore = false;
  /** The number of files, and of bytes, that may still be scanned. */
  #files: number;
  #bytes: number;

  constructor(
    options: FindUrlOptions,
    scope: FindScope,
    scanner: FileScanner,
    limits: FindLimits,
    takesReplaced: boolean,
  ) {
    this.#options = options;
    this.#scope = scope;
    this.#scanner = scanner;
    this.#takesReplaced = takesReplaced;
    this.#files = limits.files;
    this.#bytes = limits.bytes;
  }

  async run(searched: Searched, url: string, nears: readonly NearUrl[]): Promise<FoundUrl> {
    this.#filesLeft = searched.filesLeft;
    const scanned = await this.#scan(searched.files);
    const exact = await this.#inIndexes(searched, [url]);
    const clues = [...scanned, ...exact];
    const places = await this.#confirm(clues.filter((clue) => clue.url === url));
    const near = places.length > 0 ? [] : await this.#near(searched, nears, clues);
    const filesUnreadable = this.#unreadable.size;
    const filesLeft = this.#filesLeft + filesUnreadable;
    const { sitemaps, sitemapsLeft } = searched;
    return { places, near, hasMore: this.#hasMore, filesLeft, filesUnreadable, sitemaps, sitemapsLeft };
  }

  async #near(
    searched: Searched,
    nears: readonly NearUrl[],
    clues: readonly Clue[],
  ): Promise<(FoundEntry & NearUrl)[]> {
    const urls = nears.map(({ url }) => url);
    const found = [...clues, ...(await this.#inIndexes(searched, urls))];
    const entries: (FoundEntry & NearUrl)[] = [];
    // The nearest URLs come first.
    for (const { url, differences } of nears) {
      const confirmed = await this.#confirm(
        found.filter((clue) => clue.url === url),
        MOST_SHOWN - entries.length,
      );
      entries.push(...confirmed.map((entry) => ({ ...entry, url, differences })));
    }
    return entries;
  }

  /** Looks `urls` up in the indexes. Scans the files of a damaged index. */
  async #inIndexes({ indexes }: Searched, urls: readonly string[]): Promise<readonly Clue[]> {
    const { database, indexes: reader } = this.#options;
    const usable = indexes.filter((index) => !this.#damaged.has(index));
    const { candidates, damaged } = await reader.lookUp(this.#kernel, usable, urls);
    const clues: Clue[] = candidates.map(({ url, uploadId, ...place }) => {
      return { url, uploadId, uploadN: place.file, place };
    });
    for (const index of damaged) {
      this.#damaged.add(index);
      const files = await listIndexedFiles(database, index);
      await forgetUrlIndex(database, index);
      clues.push(...(await this.#scan(files)));
    }
    return clues;
  }

  async #scan(files: Searched['files']): Promise<Clue[]> {
    const within = files.filter(({ bytes }) => {
      if (this.#files === 0 || bytes > this.#bytes) return false;
      this.#files--;
      this.#bytes -= bytes;
      return true;
    });
    const { hits, unreadable } = await this.#scanner.scan(within);
    this.#filesLeft += files.length - within.length;
    for (const file of unreadable) this.#unreadable.add(keyOf(file));
    return hits.map(({ url, file: { uploadId, uploadN } }) => ({ url, uploadId, uploadN, wasLive: true }));
  }

  /** Finds where the files of clues are published. Leaves out files that are no longer live. */
  async #published(files: readonly (readonly Clue[])[]): Promise<PublishedFile[]> {
    const { database } = this.#options;
    const isOfStart = (inside: readonly Clue[]) =>
      this.#takesReplaced && inside.some(({ wasLive }) => wasLive);
    const { ofStart = [], ofNow = [] } = Object.groupBy(files, (inside) =>
      isOfStart(inside) ? 'ofStart' : 'ofNow',
    );
    const firstOfEach = (of: typeof files) => of.map(([first]) => first!);
    const live = await listPublished(database, this.#scope, firstOfEach(ofNow));
    return [...live, ...(await listPublished(database, this.#scope, firstOfEach(ofStart), true))];
  }

  /** Reads the entries of one URL. Leaves out files that are no longer live, and files without the URL. */
  async #confirm(clues: readonly Clue[], limit = MOST_SHOWN): Promise<FoundEntry[]> {
    const byFile = Map.groupBy(clues, keyOf);
    const published = await this.#published([...byFile.values()]);
    if (published.length > limit) this.#hasMore = true;
    const entries = await pMap(
      published.slice(0, limit),
      async (file) => {
        const inside = byFile.get(keyOf(file))!;
        const places = inside.map(({ place }) => place).filter((place) => place !== undefined);
        try {
          const entry = await readFound(this.#options, file, inside[0]!.url, places);
          return entry === undefined ? undefined : { file, entry };
        } catch (error) {
          if (!(error instanceof UnreadableFile)) throw error;
          this.#unreadable.add(keyOf(file));
          return undefined;
        }
      },
      { concurrency: READS_AT_ONCE },
    );
    return entries.filter((entry) => entry !== undefined);
  }
}
