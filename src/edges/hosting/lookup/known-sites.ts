/**
 * Caches each `site.json` for a short time, then revalidates it.
 *
 *   unknown  --found-->    held      answered from memory for freshMs
 *   held     --stale-->    held      revalidated; while the store fails or is slow, we serve what we hold
 *   held     --absent-->   missing   the site was deleted
 *   unknown  --absent-->   missing   answered from memory for freshMs
 *   unknown  --failure-->  unknown   StoreUnavailable
 *   unknown  --unlisted--> missing   not in the host directory: see `known-hosts.ts`
 *   unknown  --flood-->    unknown   no site, if a fresh shard of the directory lacks it; Busy without a directory
 *
 * Held sites are bounded in bytes and missing ones in number, so a flood of unknown hosts evicts no site. A missing
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
import { type GuardedStorage, type ReadObject, StoreUnavailable } from './guarded-storage.ts';
import type { KnownHosts } from './known-hosts.ts';
import type { LookUpBudget } from './look-up-budget.ts';

/** A site, with its sitemaps by name, or in sections. */
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
 * A publication shows within this time, while the store answers in time: `freshMs`, and the longest time that a request waits for a
 * revalidation. The promise is 2 s.
 */
const SHOWN_WITHIN_MS = 1500;
/** The least time that a request waits, whatever `freshMs` is. */
const LEAST_PATIENCE_MS = 500;
/** The memory of a parsed site, as a multiple of its JSON. Measured: 2.6 for a site of 20,000 sitemaps. */
const HEAP_PER_JSON_BYTE = 3;

export interface KnownSitesOptions {
  readonly storage: GuardedStorage;
  readonly freshMs: number;
  readonly maxBytes: number;
  readonly hosts: KnownHosts;
  /** The budget of look-ups of hosts that neither this cache nor `hosts` knows. */
  readonly budget: LookUpBudget;
  readonly ownerOf: OwnerOf;
  readonly counts: CacheCounts;
  readonly now: () => number;
}

export class KnownSites {
  readonly #storage: GuardedStorage;
  readonly #freshMs: number;
  readonly #patienceMs: number;
  readonly #hosts: KnownHosts;
  readonly #budget: LookUpBudget;
  readonly #ownerOf: OwnerOf;
  readonly #counts: CacheCounts;
  readonly #now: () => number;
  readonly #held: LRUCache<string, Held>;
  /** Maps each host without a site to the time when the read that found none began. */
  readonly #missing = new LRUCache<string, number>(mostEntries(MAX_MISSING));
  readonly #lookUps = new SingleFlight<KnownSite | undefined>();

  constructor({ storage, freshMs, maxBytes, hosts, budget, ownerOf, counts, now }: KnownSitesOptions) {
    this.#storage = storage;
    this.#freshMs = freshMs;
    this.#patienceMs = Math.max(SHOWN_WITHIN_MS - freshMs, LEAST_PATIENCE_MS);
    this.#hosts = hosts;
    this.#budget = budget;
    this.#ownerOf = ownerOf;
    this.#counts = counts;
    this.#now = now;
    this.#held = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ memoryBytes }) => memoryBytes });
  }

  /** Finds the site of a hostname; undefined if there is none. Throws StoreUnavailable or Busy if we cannot tell. */
  find(hostname: string, client: Client): KnownSite | undefined | Promise<KnownSite | undefined> {
    const held = this.#held.get(hostname);
    if (held !== undefined && this.#isFresh(held.checkedAt)) {
      this.#counts.hits++;
      return held.site;
    }
    const missingAt = held === undefined ? this.#missing.get(hostname) : undefined;
    if (missingAt !== undefined && this.#isFresh(missingAt)) {
      this.#counts.hits++;
      return undefined;
    }
    this.#counts.misses++;
    if (held !== undefined) return this.#revalidate(hostname, held);
    if (this.#hosts.isUnlisted(hostname) && !this.#budget.hasLeft(this.#ownerOf(client))) return undefined;
    return this.#lookUps.join(hostname, () => this.#readIfListed(hostname, client));
  }

  /** The memory of all cached sites. */
  get bytes(): number {
    return this.#held.calculatedSize;
  }

  /** Returns the site in memory if it is not `seen`, or else reads the site again. `seen`: the site that named an object that is gone. */
  async findAgain(hostname: string, seen: KnownSite): Promise<KnownSite | undefined> {
    const held = this.#held.get(hostname);
    return held === undefined || held.site === seen ? this.#lookUp(hostname) : held.site;
  }

  async #revalidate(hostname: string, held: Held): Promise<KnownSite | undefined> {
    try {
      return await withinDeadline(this.#lookUp(hostname), this.#patienceMs);
    } catch (error) {
      const isOutage = [StoreUnavailable, DeadlinePassed, Busy].some((kind) => error instanceof kind);
      if (!isOutage) throw error;
      // For the next `freshMs`, no request waits. A slow look-up still replaces the site when it ends.
      held.checkedAt = this.#now();
      return held.site;
    }
  }

  async #readIfListed(hostname: string, client: Client): Promise<KnownSite | undefined> {
    const checkedAt = this.#now();
    const isUnlisted = this.#hosts.isUnlisted(hostname);
    const look = async () => {
      const isListed = await this.#hosts.has(hostname);
      if (isListed !== false) return isListed ?? 'unknown';
      this.#missing.set(hostname, checkedAt);
      return undefined;
    };
    const listed = await (isUnlisted ? this.#budget.spend(this.#ownerOf(client), look) : look());
    if (listed === undefined) return undefined;
    const read = () => this.#read(hostname);
    return listed === 'unknown' ? this.#budget.spend(this.#ownerOf(client), read) : read();
  }

  #lookUp(hostname: string): Promise<KnownSite | undefined> {
    return this.#lookUps.join(hostname, () => this.#read(hostname));
  }

  async #read(hostname: string): Promise<KnownSite | undefined> {
    // The time before the read counts, because the answer may be as old as that.
    const checkedAt = this.#now();
    const key = siteKey(hostname);
    const held = this.#held.peek(hostname);
    const answer = await this.#storage.readIfChanged(key, held?.version);
    if (answer === undefined) {
      this.#held.delete(hostname);
      this.#hosts.doubt(hostname);
      this.#missing.set(hostname, checkedAt);
      return undefined;
    }
    const current = answer === 'unchanged' ? held! : this.#parse(key, answer, held?.site);
    this.#held.set(hostname, { ...current, checkedAt });
    this.#missing.delete(hostname);
    return current.site;
  }

  #parse(key: string, { bytes, version }: ReadObject, former?: KnownSite): Omit<Held, 'checkedAt'> {
    const parsed = this.#storage.parse(key, bytes, siteSchema);
    const { index, dividedIndex, sitemaps, feed, ...rest } = parsed;
    const found = dividedIndex
      ? foundIndex(rest, dividedIndex)
      : index && foundFile(siteIndexKey(rest.hostname, rest.generation), index);
    const site: KnownSite = {
      ...rest,
      index: found && keptIndex(found, former),
      sitemaps: new Map(sitemaps.map((sitemap) => [sitemap.name, keptSitemap(sitemap, former)])),
      ...(feed !== undefined && { feed: keptFeed(foundFile(feedKey(feed.uploadId), feed), former) }),
    };
    const memoryBytes = 1_000 + parsedBytes(bytes.length, HEAP_PER_JSON_BYTE, filesIn(parsed));
    return { site, version, memoryBytes };
  }

  #isFresh(checkedAt: number): boolean {
    return this.#now() - checkedAt < this.#freshMs;
  }
}

/** Returns the former index if it is the same file, so that its headers are not prepared again. */
function keptIndex(index: FoundFile, former: KnownSite | undefined): FoundFile {
  const held = former?.index ?? null;
  return held !== null && isSameFile(index, held) ? held : index;
}

function keptFeed(feed: FoundFile, former: KnownSite | undefined): FoundFile {
  return former?.feed !== undefined && isSameFile(feed, former.feed) ? former.feed : feed;
}

/** Returns the sitemap with its former listing, if that lists the same files. */
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
