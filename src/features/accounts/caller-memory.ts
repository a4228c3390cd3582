/**
 * The memory of this process about callers, so that repeated refusals need no statement:
 *
 *   a client beyond its limit of failed authentications   is refused until its window ends
 *   a key whose account is far beyond its limit           is refused until its window ends, but one request a second passes:
 *                                                         Postgres may decide otherwise by then
 *   a key that was recently valid                         passes even if its client is blocked: honest users may share an address
 *   a blocked client and a key that it may not use        are refused together until the window ends, even if the key was recently valid
 *   the lookup of a key, until it ends                    is shared: other requests of the client with the key wait for it
 *
 * A key may also be the token of a session or of an operator. The memory has only the hashes of keys. If an entry is evicted, a
 * later request needs one more statement.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { mostEntries } from '../../platform/most-entries.ts';
import { steadyNow } from '../../platform/steady-clock.ts';
import type { RateLimitState } from './rate-limits.ts';

/** The most entries of each cache. An entry takes about 200 bytes. */
const MAX_REMEMBERED = 10_000;
/** More than a day, so that a daily job is not refused because another program at its address has a wrong key. */
const VALID_FOR_MS = 25 * 3_600_000;
const LET_THROUGH_EVERY_MS = 1000;

interface Overdrawn {
  readonly limit: number;
  letThroughAt: number;
}

export class CallerMemory {
  readonly #now: () => number;
  readonly #validKeys: LRUCache<string, true>;
  readonly #blockedClients: LRUCache<string, true>;
  readonly #overdrawnKeys: LRUCache<string, Overdrawn>;

  readonly #lookups = new Map<string, Promise<void>>();

  /** `now`: returns the milliseconds of a monotonic clock. `known`: a memory with which this one shares the keys that were recently valid. */
  constructor(now = steadyNow, known?: CallerMemory) {
    this.#now = now;
    // Entries may have their own time to live. With `ttlResolution: 0`, the cache reads the clock at each access.
    const options = { ...mostEntries(MAX_REMEMBERED), ttl: VALID_FOR_MS, ttlResolution: 0, perf: { now } };
    this.#validKeys = known === undefined ? new LRUCache(options) : known.#validKeys;
    this.#blockedClients = new LRUCache(options);
    this.#overdrawnKeys = new LRUCache(options);
  }

  rememberValid(keyHash: string): void {
    this.#validKeys.set(keyHash, true);
  }

  /** Forgets a key that is no longer valid. */
  forget(keyHash: string): void {
    this.#validKeys.delete(keyHash);
    this.#overdrawnKeys.delete(keyHash);
  }

  wasValidLately(keyHash: string): boolean {
    return this.#validKeys.has(keyHash);
  }

  /** Notes the lookup of a key that was not recently valid, until the lookup ends. `name`: names the pair of client and key. */
  noteLookup(name: string, lookup: Promise<unknown>): void {
    if (this.#lookups.has(name)) return;
    const end = () => void this.#lookups.delete(name);
    this.#lookups.set(name, lookup.then(end, end));
  }

  /** Returns the first lookup under way of this name. The promise never rejects. */
  lookupUnderWay(name: string): Promise<void> | undefined {
    return this.#lookups.get(name);
  }

  block(client: string, seconds: number): void {
    this.#blockedClients.set(client, true, { ttl: seconds * 1000 });
  }

  /** Returns the seconds until the client may try again; 0 when the client is not blocked. */
  blockedSeconds(client: string): number {
    return Math.max(0, Math.ceil(this.#blockedClients.getRemainingTTL(client) / 1000));
  }

  overdraw(keyHash: string, { limit, resetSeconds }: RateLimitState): void {
    const letThroughAt = this.#now() + LET_THROUGH_EVERY_MS;
    this.#overdrawnKeys.set(keyHash, { limit, letThroughAt }, { ttl: resetSeconds * 1000 });
  }

  /** Ends the refusals of a key whose account is not far beyond its limit. */
  settle(keyHash: string): void {
    this.#overdrawnKeys.delete(keyHash);
  }

  /** Returns the state for the refusal of a request; undefined if the request may pass. One request a second passes. */
  overdrawnState(keyHash: string): RateLimitState | undefined {
    const overdrawn = this.#overdrawnKeys.get(keyHash);
    if (overdrawn === undefined) return undefined;
    if (this.#now() >= overdrawn.letThroughAt) {
      overdrawn.letThroughAt = this.#now() + LET_THROUGH_EVERY_MS;
      return undefined;
    }
    const resetSeconds = Math.ceil(this.#overdrawnKeys.getRemainingTTL(keyHash) / 1000);
    return { limit: overdrawn.limit, remaining: 0, resetSeconds, excess: Number.POSITIVE_INFINITY };
  }
}

/** Returns the hash of a key, or of the token of a session. */
export function keyHashOf(key: string): string {
  return hash('sha256', key, 'base64url');
}
