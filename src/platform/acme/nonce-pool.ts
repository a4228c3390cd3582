/**
 * Keeps the nonces that came with the server's answers. A nonce is good for one request (RFC 8555, section 6.5). The newest nonce is used
 * first, and old ones are dropped: a server forgets old nonces, and a request with a forgotten nonce costs a round trip.
 */
import { steadyNow } from '../steady-clock.ts';

const MAX_NONCES = 32;
const MAX_AGE_MS = 5 * 60_000;

export class NoncePool {
  readonly #now: () => number;
  readonly #nonces: { readonly nonce: string; readonly since: number }[] = [];

  constructor(now = steadyNow) {
    this.#now = now;
  }

  add(nonce: unknown): void {
    // A nonce is base64url (RFC 8555, section 6.5.1). The limit of 512 is our own.
    if (typeof nonce !== 'string' || !/^[A-Za-z0-9_-]{1,512}$/.test(nonce)) return;
    this.#nonces.push({ nonce, since: this.#now() });
    if (this.#nonces.length > MAX_NONCES) this.#nonces.shift();
  }

  take(): string | undefined {
    const newest = this.#nonces.pop();
    if (newest === undefined || this.#now() - newest.since <= MAX_AGE_MS) return newest?.nonce;
    // If the newest nonce is too old, all others are too.
    this.#nonces.length = 0;
    return undefined;
  }
}
