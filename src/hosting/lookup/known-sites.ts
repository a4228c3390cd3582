/**
 * What this process knows of sites: each `site.json`, believed for a short time and then read again if it changed.
 *
 *   unknown  --found-->    held      answered from memory for freshMs
 *   held     --stale-->    held      read again; while the store fails or is slow, what we hold is served on
 *   held     --absent-->   missing   the site was deleted
 *   unknown  --absent-->   missing   answered from memory for freshMs
 *   unknown  --failure-->  unknown   StoreUnavailable
 *   unknown  --unlisted--> missing   by the host directory: see `known-hosts.ts`
 *   unknown  --flood-->    unknown   no site, by the directory as it was a moment ago; Busy, where there is none yet
 *
 * Held sites are bounded in bytes, missing ones in number, so a flood of unknown hosts displaces no site. A site
 * that went missing is unknown again once that is no longer fresh.
 */
import { LRUCache } from 'lru-cache';
import { DeadlinePassed, withinDeadline } from '../../platform/concurrency/deadline.ts';
import { SingleFlight } from '../../platform/concurrency/single-flight.ts';
import { type Site, type SiteSitemap, siteKey, siteSchema } from '../../sites/site.ts';
import { Busy } from '../bodies/busy.ts';
import type { Soon } from '../bodies/soon.ts';
import type { Client, OwnerOf } from '../client.ts';
import type { CacheCounts } from '../hosting-counts.ts';
import { type GuardedStorage, type ReadObject, StoreUnavailable } from './guarded-storage.ts';
import type { KnownHosts } from './known-hosts.ts';
import type { LookUpBudget } from './look-up-budget.ts';

/** A site, with its sitemaps by name: a site may have thousands, and each request asks for one. */
export interface KnownSite extends Omit<Site, 'sitemaps'> {
  readonly sitemaps: ReadonlyMap<string, SiteSitemap>;
}

interface Held {
  readonly site: KnownSite;
  /** Of the object that it was read from. */
  readonly version: string | undefined;
  readonly jsonBytes: number;
  /** When the last reading began, or was given up. */
  checkedAt: number;
}

/** Hostnames have up to 253 characters, so this is 5 MB at most. */
const MAX_MISSING = 10_000;
/** How long a request for a held site waits for news. With the default freshness, 1.5 s: below the 2 s promised. */
const PATIENCE_MS = 500;
/** Measured: a site of 20,000 sitemaps takes 2.6 times its JSON as objects. */
const HEAP_PER_JSON_BYTE = 3;

export interface KnownSitesOptions {
  readonly storage: GuardedStorage;
  readonly freshMs: number;
  readonly maxBytes: number;
  readonly hosts: KnownHosts;
  /** For look-ups of hosts that nothing is known of, not even by `hosts`. */
  readonly budget: LookUpBudget;
  readonly ownerOf: OwnerOf;
  readonly counts: CacheCounts;
  readonly now: () => number;
}

export class KnownSites {
  readonly #storage: GuardedStorage;
  readonly #freshMs: number;
  readonly #hosts: KnownHosts;
  readonly #budget: LookUpBudget;
  readonly #ownerOf: OwnerOf;
  readonly #counts: CacheCounts;
  readonly #now: () => number;
  readonly #held: LRUCache<string, Held>;
  /** When the reading began that found no site. */
  readonly #missing = new LRUCache<string, number>({ max: MAX_MISSING });
  readonly #lookUps = new SingleFlight<KnownSite | undefined>();

  constructor({ storage, freshMs, maxBytes, hosts, budget, ownerOf, counts, now }: KnownSitesOptions) {
    this.#storage = storage;
    this.#freshMs = freshMs;
    this.#hosts = hosts;
    this.#budget = budget;
    this.#ownerOf = ownerOf;
    this.#counts = counts;
    this.#now = now;
    this.#held = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ jsonBytes }) => 1_000 + HEAP_PER_JSON_BYTE * jsonBytes,
    });
  }

  /** The site of a hostname; undefined if there is none. Throws StoreUnavailable or Busy if nobody can say. */
  find(hostname: string, client: Client): Soon<KnownSite | undefined> {
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

  /** Memory in use. */
  get bytes(): number {
    return this.#held.calculatedSize;
  }

  /** The site as it is now, for whoever found that `seen` names an object that has gone. */
  async findAgain(hostname: string, seen: KnownSite): Promise<KnownSite | undefined> {
    const held = this.#held.get(hostname);
    return held === undefined || held.site === seen ? this.#lookUp(hostname) : held.site;
  }

  async #revalidate(hostname: string, held: Held): Promise<KnownSite | undefined> {
    try {
      return await withinDeadline(this.#lookUp(hostname), PATIENCE_MS);
    } catch (error) {
      const isOutage = [StoreUnavailable, DeadlinePassed, Busy].some((kind) => error instanceof kind);
      if (!isOutage) throw error;
      // Nobody else needs to wait for a while. A look-up that is only slow replaces this when it arrives.
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
    // The answer may be as old as the question.
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
    const current = answer === 'unchanged' ? held! : this.#parse(key, answer);
    this.#held.set(hostname, { ...current, checkedAt });
    this.#missing.delete(hostname);
    return current.site;
  }

  #parse(key: string, { bytes, version }: ReadObject): Omit<Held, 'checkedAt'> {
    const site = this.#storage.parse(key, bytes, siteSchema);
    const sitemaps = new Map(site.sitemaps.map((sitemap) => [sitemap.name, sitemap]));
    return { site: { ...site, sitemaps }, version, jsonBytes: bytes.length };
  }

  #isFresh(checkedAt: number): boolean {
    return this.#now() - checkedAt < this.#freshMs;
  }
}
