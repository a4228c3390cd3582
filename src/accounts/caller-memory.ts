/**
 * What this process remembers of callers, so that those it refuses again and again cost Postgres nothing:
 *
 *   a client beyond its limit of failed authentications   until its window ends
 *   a key whose account goes on far beyond its limit      until its window ends, but one request a second is let through:
 *                                                         Postgres may say otherwise by then
 *   a key that was valid lately                           a blocked client may use it: honest ones can share an address
 *
 * Keys are remembered by their hashes. What is forgotten for lack of room costs Postgres a statement, and no more.
 */
import { LRUCache } from 'lru-cache';
import { hashApiKey } from './api-key.ts';
import type { RateLimitState } from './rate-limits.ts';

/** Some 200 bytes each. */
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

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    // Entries have times to live of their own; the resolution of 0 reads the clock each time.
    const options = { max: MAX_REMEMBERED, ttl: VALID_FOR_MS, ttlResolution: 0, perf: { now } };
    this.#validKeys = new LRUCache(options);
    this.#blockedClients = new LRUCache(options);
    this.#overdrawnKeys = new LRUCache(options);
  }

  rememberValid(key: string): void {
    this.#validKeys.set(hashOf(key), true);
  }

  /** For a key that is valid no more. */
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

  /** What a request with this key is refused with, undefined when it is not, or is the one that is let through. */
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
