/**
 * What this process remembers about callers, so that repeated refusals cost no statement:
 *
 *   a client beyond its limit of failed authentications   until its window ends
 *   a key whose account is far beyond its limit           until its window ends, but one request a second passes:
 *                                                         Postgres may decide otherwise by then
 *   a key that was recently valid                         passes from a blocked client: honest ones may share it
 *
 * Keys are stored as hashes. An evicted entry costs one statement, no more.
 */
import { LRUCache } from 'lru-cache';
import { hashApiKey } from './api-key.ts';
import type { RateLimitState } from './rate-limits.ts';

/** About 200 bytes each. */
const MAX_REMEMBERED = 10_000;
const VALID_FOR_MS = 10 * 60_000;
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

  /** `now`: milliseconds of a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    // Entries may have their own time to live. A resolution of 0 reads the clock each time.
    const options = { max: MAX_REMEMBERED, ttl: VALID_FOR_MS, ttlResolution: 0, perf: { now } };
    this.#validKeys = new LRUCache(options);
    this.#blockedClients = new LRUCache(options);
    this.#overdrawnKeys = new LRUCache(options);
  }

  rememberValid(key: string): void {
    this.#validKeys.set(hashOf(key), true);
  }

  /** For a key that is no longer valid. */
  forget(key: string): void {
    this.#validKeys.delete(hashOf(key));
    this.#overdrawnKeys.delete(hashOf(key));
  }

  wasValidLately(key: string): boolean {
    return this.#validKeys.has(hashOf(key));
  }

  block(client: string, seconds: number): void {
    this.#blockedClients.set(client, true, { ttl: seconds * 1000 });
  }

  /** Seconds until the client may try again; 0 when it is not blocked. */
  blockedSeconds(client: string): number {
    return Math.max(0, Math.ceil(this.#blockedClients.getRemainingTTL(client) / 1000));
  }

  overdraw(key: string, { limit, resetSeconds }: RateLimitState): void {
    const letThroughAt = this.#now() + LET_THROUGH_EVERY_MS;
    this.#overdrawnKeys.set(hashOf(key), { limit, letThroughAt }, { ttl: resetSeconds * 1000 });
  }

  /** For a key whose account is not far beyond its limit. */
  settle(key: string): void {
    this.#overdrawnKeys.delete(hashOf(key));
  }

  /** The state to refuse a request with. Undefined when the request may go on, as one request a second may. */
  overdrawnState(key: string): RateLimitState | undefined {
    const overdrawn = this.#overdrawnKeys.get(hashOf(key));
    if (overdrawn === undefined) return undefined;
    if (this.#now() >= overdrawn.letThroughAt) {
      overdrawn.letThroughAt = this.#now() + LET_THROUGH_EVERY_MS;
      return undefined;
    }
    const resetSeconds = Math.ceil(this.#overdrawnKeys.getRemainingTTL(hashOf(key)) / 1000);
    return { limit: overdrawn.limit, remaining: 0, resetSeconds, excess: Number.POSITIVE_INFINITY };
  }
}

function hashOf(key: string): string {
  return hashApiKey(key).toString('base64url');
}
