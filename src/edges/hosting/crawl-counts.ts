/**
 * Counts answers in memory, by site, day, kind of crawler and status. It keeps nothing of a request: no
 * address, no URL, no User-Agent. `write-crawls.ts` takes the counts away.
 */
import type { CrawlCount } from '../../features/crawls/crawl-object.ts';
import { CRAWLERS, RecentCrawlers } from '../../features/crawls/crawler.ts';

const DAY_MS = 24 * 3_600_000;

/** The most counts in memory: those of 30,000 sites and three kinds of crawlers take some 10 MB. */
const MAX_COUNTS = 100_000;

/** The counts of one day, in UTC. */
export interface DayCounts {
  /** The day, as in 2026-01-15. */
  readonly day: string;
  readonly counts: Iterable<CrawlCount>;
}

/** The number of requests. The key is the kind of crawler and the status: `place` in CRAWLERS * 1,000 + status. */
type SiteCounts = Map<number, number>;

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
  #size = 0;
  /** The number of answers that were not counted for lack of room. */
  dropped = 0;

  /** `now`: milliseconds since 1970. */
  constructor({ now, maxCounts = MAX_COUNTS }: { now: () => number; maxCounts?: number }) {
    this.#now = now;
    this.#maxCounts = maxCounts;
  }

  /**
   * Counts an answer. Every answer passes here, so it allocates nothing for a kind and status that the site had before, and
   * reads no clock. `answeredAt` comes from performance.now().
   */
  add(hostname: string, userAgent: string | undefined, status: number, answeredAt: number): void {
    if (answeredAt >= this.#dayEndsAt) this.#beginDay(answeredAt);
    const kind = this.#crawlers.placeOf(userAgent) * 1_000 + status;
    const site = this.#sites.get(hostname);
    const requests = site?.get(kind);
    if (requests !== undefined) site!.set(kind, requests + 1);
    else this.#addFirst(hostname, site, kind);
  }

  /** Removes all counts, and returns them by day. */
  take(): DayCounts[] {
    const days = this.#days;
    this.#days = new Map();
    // The system's clock may have been corrected, so the next answer reads it.
    this.#dayEndsAt = Number.NEGATIVE_INFINITY;
    this.#size = 0;
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
    this.#dayEndsAt = answeredAt + (day + 1) * DAY_MS - now;
  }

  #addFirst(hostname: string, site: SiteCounts | undefined, kind: number): void {
    if (this.#size >= this.#maxCounts) {
      this.dropped++;
      return;
    }
    this.#size++;
    if (site === undefined) this.#sites.set(hostname, new Map([[kind, 1]]));
    else site.set(kind, 1);
  }
}

function* countsOf(sites: ReadonlyMap<string, SiteCounts>): Generator<CrawlCount> {
  for (const [hostname, counts] of sites) {
    for (const [kind, requests] of counts) {
      yield { hostname, crawler: CRAWLERS[Math.floor(kind / 1_000)]!, status: kind % 1_000, requests };
    }
  }
}
