/**
 * Counts answers in memory, by site, day, kind of crawler and status. It keeps nothing of a request: no
 * address, no URL, no User-Agent. `write-crawls.ts` takes the counts away.
 */
import type { CrawlCount } from '../crawls/crawl-object.ts';
import { CRAWLERS, RecentCrawlers } from '../crawls/crawler.ts';

const DAY_MS = 24 * 3_600_000;

/** 30,000 sites, each visited by three kinds of crawlers, are some 10 MB. */
const MAX_COUNTS = 100_000;

/** The counts of one day, in UTC. */
export interface DayCounts {
  /** As in 2026-01-15. */
  readonly day: string;
  readonly counts: Iterable<CrawlCount>;
}

/** Requests, by kind of crawler and status in one number: `place` in CRAWLERS * 1,000 + status. */
type SiteCounts = Map<number, number>;

export class CrawlCounts {
  readonly #now: () => number;
  readonly #maxCounts: number;
  readonly #crawlers = new RecentCrawlers();
  /** By hostname, by day: days since 1970. */
  #days = new Map<number, Map<string, SiteCounts>>();
  /** Of the current day. */
  #sites = new Map<string, SiteCounts>();
  /** On the steady clock. */
  #dayEndsAt = Number.NEGATIVE_INFINITY;
  #size = 0;
  /** Answers that found no room. */
  dropped = 0;

  /** `now`: milliseconds since 1970. */
  constructor({ now, maxCounts = MAX_COUNTS }: { now: () => number; maxCounts?: number }) {
    this.#now = now;
    this.#maxCounts = maxCounts;
  }

  /**
   * On the path of every answer: it allocates nothing for a kind and status that this site had before, and
   * reads no clock. `answeredAt`: of performance.now().
   */
  add(hostname: string, userAgent: string | undefined, status: number, answeredAt: number): void {
    if (answeredAt >= this.#dayEndsAt) this.#beginDay(answeredAt);
    const kind = this.#crawlers.placeOf(userAgent) * 1_000 + status;
    const site = this.#sites.get(hostname);
    const requests = site?.get(kind);
    if (requests !== undefined) site!.set(kind, requests + 1);
    else this.#addFirst(hostname, site, kind);
  }

  /** All counts, by day. They are no longer here. */
  take(): DayCounts[] {
    const days = this.#days;
    this.#days = new Map();
    // The clock of the system may have been put right, so the next answer looks at it.
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
