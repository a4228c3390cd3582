/**
 * Counts answers in memory, by site, day, file, kind of crawler and status. It keeps nothing of a request: no address, no query, no
 * User-Agent. `write-crawls.ts` takes the counts away.
 *
 * Strangers invent names of files that a site does not have, so only MAX_MISSING of these names are counted for each site. If there is no
 * room for a name, the answer is counted without the name. So the sum over all files is the number of all answers, apart from those in
 * `dropped`.
 */
import type { CrawlCount } from '../../features/crawls/crawl-object.ts';
import { CRAWLERS, RecentCrawlers } from '../../features/crawls/crawler.ts';

const DAY_MS = 24 * 3_600_000;

/**
 * The most counts in memory. The counts of 30,000 sites and three kinds of crawlers take some 20 MB, and the counts of 70,000 files some 10
 * MB.
 */
const MAX_COUNTS = 100_000;
/** The largest part of all counts that may have the name of a file. */
const NAMED_PART = 0.7;
/** The most names of missing files that are counted for each site. */
const MAX_MISSING = 20;

/** The counts of one day, in UTC. */
export interface DayCounts {
  /** The day, for example 2026-01-15. */
  readonly day: string;
  readonly counts: Iterable<CrawlCount>;
}

interface Count {
  requests: number;
  /** The bytes of the bodies. */
  bytes: number;
  /** When the last of these requests was answered, in milliseconds since 1970. */
  lastAt: number;
}

/** A number above all values of `kindOf`. */
const KINDS = 1_000 * CRAWLERS.length;
/** The place of answers that are counted without the name of a file. */
const NO_FILE = 0;

class SiteCounts {
  /** The place of each file that has a count with its name. */
  readonly places = new Map<string, number>();
  /** The counts by place and kind. The key is `place` * KINDS + kind. */
  readonly counts = new Map<number, Count>();
  missing = 0;
}

/** Returns the kind of an answer: its crawler and its status in one number. `crawler`: the place of the crawler in CRAWLERS. */
const kindOf = (crawler: number, status: number) => crawler * 1_000 + status;
const isMissing = (kind: number) => kind % 1_000 === 404;

export class CrawlCounts {
  readonly #now: () => number;
  readonly #maxCounts: number;
  readonly #crawlers = new RecentCrawlers();
  /** The counts by day, in days since 1970, and by hostname. */
  #days = new Map<number, Map<string, SiteCounts>>();
  /** The counts of the current day, by hostname. */
  #sites = new Map<string, SiteCounts>();
  /** When the current day ends, on the steady clock. */
  #dayEndsAt = Number.NEGATIVE_INFINITY;
  /** Milliseconds since 1970 at the zero of the steady clock. */
  #steadyZero = 0;
  #size = 0;
  #named = 0;
  /** The number of answers that were not counted for lack of room. */
  dropped = 0;

  /** `now`: milliseconds since 1970. */
  constructor({ now, maxCounts = MAX_COUNTS }: { now: () => number; maxCounts?: number }) {
    this.#now = now;
    this.#maxCounts = maxCounts;
  }

  /**
   * Counts an answer. This method is called for every answer. So it allocates nothing if the file has a count for the crawler and the
   * status already, and reads the clock only when a day begins and after `take`. `answeredAt`: from performance.now(). `file`: absent until
   * it is known whether the site has the file. `bytes`: the bytes of the body.
   */
  add(
    hostname: string,
    userAgent: string | undefined,
    status: number,
    answeredAt: number,
    file = '',
    bytes = 0,
  ): void {
    if (answeredAt >= this.#dayEndsAt) this.#beginDay(answeredAt);
    const kind = kindOf(this.#crawlers.placeOf(userAgent), status);
    const site = this.#sites.get(hostname);
    const place = file === '' ? NO_FILE : site?.places.get(file);
    const known = place === undefined ? undefined : site?.counts.get(place * KINDS + kind);
    const count = known ?? this.#firstCount(hostname, site, file, kind);
    if (count === undefined) {
      this.dropped++;
      return;
    }
    count.requests++;
    count.bytes += bytes;
    count.lastAt = answeredAt + this.#steadyZero;
  }

  /** Removes all counts, and returns them by day. */
  take(): DayCounts[] {
    const days = this.#days;
    this.#days = new Map();
    // The system's clock may have been corrected, so the next answer reads the clock again.
    this.#dayEndsAt = Number.NEGATIVE_INFINITY;
    this.#size = 0;
    this.#named = 0;
    return Array.from(days, ([day, sites]) => ({
      day: new Date(day * DAY_MS).toISOString().slice(0, 10),
      counts: countsOf(sites),
    }));
  }

  #beginDay(answeredAt: number): void {
    const now = this.#now();
    const day = Math.floor(now / DAY_MS);
    let sites = this.#days.get(day);
    if (sites === undefined) {
      sites = new Map();
      this.#days.set(day, sites);
    }
    this.#sites = sites;
    this.#steadyZero = now - answeredAt;
    this.#dayEndsAt = answeredAt + (day + 1) * DAY_MS - now;
  }

  /**
   * Returns a new count of zero. If there is no room for the name of the file, returns the count of answers without a name. Undefined if
   * there is no room for a new count.
   */
  #firstCount(
    hostname: string,
    known: SiteCounts | undefined,
    file: string,
    kind: number,
  ): Count | undefined {
    const site = known ?? new SiteCounts();
    const place = this.#placeFor(site, file, kind);
    const key = place * KINDS + kind;
    const unnamed = site.counts.get(key);
    if (unnamed !== undefined) return unnamed;
    if (this.#size >= this.#maxCounts) return undefined;
    if (known === undefined) this.#sites.set(hostname, site);
    if (place > site.places.size) {
      site.places.set(file, place);
      if (isMissing(kind)) site.missing++;
    }
    this.#size++;
    if (place !== NO_FILE) this.#named++;
    const count = { requests: 0, bytes: 0, lastAt: 0 };
    site.counts.set(key, count);
    return count;
  }

  /** Returns the place of a file. A new name gets the next free place. NO_FILE: the file is counted without its name. */
  #placeFor({ places, missing }: SiteCounts, file: string, kind: number): number {
    if (file === '' || this.#named >= this.#maxCounts * NAMED_PART) return NO_FILE;
    const known = places.get(file);
    if (known !== undefined) return known;
    return isMissing(kind) && missing >= MAX_MISSING ? NO_FILE : places.size + 1;
  }
}

function* countsOf(sites: ReadonlyMap<string, SiteCounts>): Generator<CrawlCount> {
  for (const [hostname, { places, counts }] of sites) {
    const files = ['', ...places.keys()];
    for (const [key, { requests, bytes, lastAt }] of counts) {
      const kind = key % KINDS;
      const file = files[(key - kind) / KINDS]!;
      const crawler = CRAWLERS[Math.floor(kind / 1_000)]!;
      const count = { hostname, crawler, status: kind % 1_000, requests, ...(bytes > 0 && { bytes }) };
      yield file === '' ? count : { ...count, file, last: Math.floor(lastAt / 1000) };
    }
  }
}
