/**
 * Caches each `site.json` for a short time, then revalidates it.
 *
 *   unknown  --found-->    held      answered from memory for freshMs
 *   held     --stale-->    held      revalidated; while the store fails or is slow, we serve what we hold
 *   held     --absent-->   missing   the site was deleted
 *   unknown  --absent-->   missing   answered from memory for freshMs
 *   unknown  --failure-->  unknown   StoreUnavailable
 *   unknown  --unlisted--> missing   the host directory lacks the host (`known-hosts.ts`)
 *   unknown  --flood-->    unknown   the budget is used up: no site, if a fresh shard of the host directory lacks the host, or else Busy
 *
 * The held sites have a limit in bytes, and the missing ones have a limit in number. So a flood of unknown hosts evicts no site. A missing
 * site is unknown again after freshMs.
 */
import { LRUCache } from 'lru-cache';
import {
  feedKey,
  type Site,
  type SiteSitemap,
  type StoredFile,
  siteIndexKey,
  siteKey,
  siteSchema,
} from '../../../features/sites/site.ts';
import { DeadlinePassed, withinDeadline } from '../../../platform/concurrency/deadline.ts';
import { SingleFlight } from '../../../platform/concurrency/single-flight.ts';
import { mostEntries } from '../../../platform/most-entries.ts';
import { Busy } from '../bodies/busy.ts';
import type { Client, OwnerOf } from '../client.ts';
import type { CacheCounts } from '../hosting-counts.ts';
import { CachedListing, storedFilesOf } from './cached-listing.ts';
import { type FoundFile, foundFile, foundIndex, isSameFile, parsedBytes } from './found-file.ts';
import { type ReadObject, StoreUnavailable } from './guarded-storage.ts';
import type { KnownHosts, LookUpOptions } from './known-hosts.ts';
import type { LookUpBudget } from './look-up-budget.ts';

/** A site as hosting holds it. A divided site has its sitemaps in sections, and any other site has them here by name. */
export interface KnownSite extends Omit<Site, 'index' | 'dividedIndex' | 'sitemaps' | 'feed'> {
  readonly index: FoundFile | null;
  readonly feed?: FoundFile | undefined;
  readonly sitemaps: ReadonlyMap<string, KnownSitemap>;
}

export interface KnownSitemap extends Omit<SiteSitemap, 'listing'> {
  /** The listing of the live upload. Absent: the listing is an object of its own in the store. */
  readonly listing?: CachedListing | undefined;
}

interface Held {
  readonly site: KnownSite;
  /** The version of the object `site.json`. */
  readonly version: string | undefined;
  readonly memoryBytes: number;
  /** When the last read of `site.json` began, or when a request stopped waiting for it. */
  checkedAt: number;
}

/** The most hosts in memory that have no site. With hostnames of 253 characters, these take 5 MB. */
const MAX_MISSING = 10_000;
/**
 * The sum of `freshMs` and the longest time that a request waits for a revalidation. While the store answers in that time, a publication
 * shows within SHOWN_WITHIN_MS. The promise is 2 s.
 */
const SHOWN_WITHIN_MS = 1500;
/** The least time that a request waits for a revalidation, whatever `freshMs` is. */
const LEAST_PATIENCE_MS = 500;
/** The memory of a parsed site for each byte of its JSON. Measured: 2.6 bytes for a site of 20,000 sitemaps. */
const HEAP_PER_JSON_BYTE = 3;

export interface KnownSitesOptions extends LookUpOptions {
  readonly maxBytes: number;
  readonly hosts: KnownHosts;
  /** The budget of look-ups of hosts that neither this cache nor `hosts` knows. */
  readonly budget: LookUpBudget;
  readonly ownerOf: OwnerOf;
  readonly counts: CacheCounts;
}

export class KnownSites {
  readonly #options: KnownSitesOptions;
  readonly #patienceMs: number;
  readonly #held: LRUCache<string, Held>;
  /** Maps each host without a site to the time when the read that found none began. */
  readonly #missing = new LRUCache<string, number>(mostEntries(MAX_MISSING));
  readonly #lookUps = new SingleFlight<KnownSite | undefined>();

  constructor(options: KnownSitesOptions) {
    const { freshMs, maxBytes } = options;
    this.#options = options;
    this.#patienceMs = Math.max(SHOWN_WITHIN_MS - freshMs, LEAST_PATIENCE_MS);
    this.#held = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ memoryBytes }) => memoryBytes });
  }

  /** Finds the site of a hostname; undefined if there is none. Throws StoreUnavailable or Busy if we cannot tell. */
  find(hostname: string, client: Client): KnownSite | undefined | Promise<KnownSite | undefined> {
    const { counts, hosts, budget, ownerOf } = this.#options;
    const held = this.#held.get(hostname);
    if (held !== undefined && this.#isFresh(held.checkedAt)) {
      counts.hits++;
      return held.site;
    }
    const missingAt = held === undefined ? this.#missing.get(hostname) : undefined;
    if (missingAt !== undefined && this.#isFresh(missingAt)) {
      counts.hits++;
      return undefined;
    }
    counts.misses++;
    if (held !== undefined) return this.#revalidate(hostname, held);
    if (hosts.isUnlisted(hostname) && !budget.hasLeft(ownerOf(client))) return undefined;
    return this.#lookUps.join(hostname, () => this.#readIfListed(hostname, client));
  }

  /** The memory of all cached sites. */
  get bytes(): number {
    return this.#held.calculatedSize;
  }

  /** Returns a site that is newer than `seen`, which named an object that is gone. Reads the site if memory has nothing newer. */
  async findAgain(hostname: string, seen: KnownSite): Promise<KnownSite | undefined> {
    const held = this.#held.get(hostname);
    return held === undefined || held.site === seen ? this.#lookUp(hostname) : held.site;
  }

  async #revalidate(hostname: string, held: Held): Promise<KnownSite | undefined> {
    try {
      return await withinDeadline(this.#lookUp(hostname), this.#patienceMs);
    } catch (error) {
      if (!isOutage(error)) throw error;
      // For the next `freshMs`, no request waits. A slow look-up still replaces the site when it ends.
      held.checkedAt = this.#options.now();
      return held.site;
    }
  }

  async #readIfListed(hostname: string, client: Client): Promise<KnownSite | undefined> {
    const { hosts, budget, ownerOf, now } = this.#options;
    const checkedAt = now();
    const isUnlisted = hosts.isUnlisted(hostname);
    const look = async () => {
      const isListed = await hosts.has(hostname);
      if (isListed !== false) return isListed ?? 'unknown';
      this.#missing.set(hostname, checkedAt);
      return undefined;
    };
    const listed = await (isUnlisted ? budget.spend(ownerOf(client), look) : look());
    if (listed === undefined) return undefined;
    const read = () => this.#read(hostname);
    return listed === 'unknown' ? budget.spend(ownerOf(client), read) : read();
  }

  #lookUp(hostname: string): Promise<KnownSite | undefined> {
    return this.#lookUps.join(hostname, () => this.#read(hostname));
  }

  async #read(hostname: string): Promise<KnownSite | undefined> {
    // Take the time before the read, because the store may change at any moment of the read.
    const { storage, hosts, now } = this.#options;
    const checkedAt = now();
    const key = siteKey(hostname);
    const held = this.#held.peek(hostname);
    const answer = await storage.readIfChanged(key, held?.version);
    if (answer === undefined) {
      this.#held.delete(hostname);
      hosts.doubt(hostname);
      this.#missing.set(hostname, checkedAt);
      return undefined;
    }
    const current = answer === 'unchanged' ? held! : this.#parse(key, answer, held?.site);
    this.#held.set(hostname, { ...current, checkedAt });
    this.#missing.delete(hostname);
    return current.site;
  }

  #parse(key: string, { bytes, version }: ReadObject, former?: KnownSite): Omit<Held, 'checkedAt'> {
    const parsed = this.#options.storage.parse(key, bytes, siteSchema);
    const { index, dividedIndex, sitemaps, feed, ...rest } = parsed;
    const found = dividedIndex
      ? foundIndex(rest, dividedIndex)
      : index && foundFile(siteIndexKey(rest.hostname, rest.generation), index);
    const site: KnownSite = {
      ...rest,
      index: found && kept(found, former?.index),
      sitemaps: new Map(sitemaps.map((sitemap) => [sitemap.name, keptSitemap(sitemap, former)])),
      ...(feed && { feed: kept(foundFile(feedKey(feed.uploadId), feed), former?.feed) }),
    };
    const memoryBytes = 1_000 + parsedBytes(bytes.length, HEAP_PER_JSON_BYTE, filesIn(parsed));
    return { site, version, memoryBytes };
  }

  #isFresh(checkedAt: number): boolean {
    const { now, freshMs } = this.#options;
    return now() - checkedAt < freshMs;
  }
}

/** Returns whether an error means that we cannot ask the store now. Then an answer from memory is better than none. */
export function isOutage(error: unknown): boolean {
  return [StoreUnavailable, DeadlinePassed, Busy].some((kind) => error instanceof kind);
}

/** Returns the former file if it is the same file, so that its headers are not prepared again. */
function kept(file: FoundFile, former: FoundFile | null | undefined): FoundFile {
  return former && isSameFile(file, former) ? former : file;
}

/** Returns the sitemap. If its former listing lists the same files, keeps the former listing. */
function keptSitemap({ listing, ...sitemap }: SiteSitemap, former: KnownSite | undefined): KnownSitemap {
  if (listing === undefined) return sitemap;
  const held = former?.sitemaps.get(sitemap.name)?.listing;
  const fresh = new CachedListing(sitemap.uploadId, listing);
  return { ...sitemap, listing: held?.equals(fresh) ? held : fresh };
}

function* filesIn({ index, sitemaps }: Site): Generator<StoredFile> {
  if (index !== null) yield index;
  for (const { listing } of sitemaps) if (listing) yield* storedFilesOf(listing);
}
