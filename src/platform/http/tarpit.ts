/**
 * Keeps callers waiting for an answer that refuses them. Clients that ask again as soon as they have their answer then
 * ask once a second on each connection, and not as often as we can answer.
 */
import type { ServerResponse } from 'node:http';

/** Each wait costs a timer, and what its connection costs in any case. */
const MAX_WAITING = 2000;
/** On average; half of it at least. */
const DELAY_MS = 1000;

export class Tarpit implements Disposable {
  readonly #maxWaiting: number;
  readonly #delayMs: number;
  /** Each ends one wait. */
  readonly #waiting = new Set<() => void>();
  #isDisposed = false;

  constructor({ maxWaiting = MAX_WAITING, delayMs = DELAY_MS } = {}) {
    this.#maxWaiting = maxWaiting;
    this.#delayMs = delayMs;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Resolves when the answer is to be sent: after the delay, or before it when the client goes or the server ends. When
   * too many wait already that is at once, and with the answer its connection ends.
   */
  async hold(response: ServerResponse): Promise<void> {
    if (this.#isDisposed || response.closed) return;
    if (this.#waiting.size >= this.#maxWaiting) {
      response.setHeader('Connection', 'close');
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    // By chance, so that those who came at once do not come again at once.
    const timer = setTimeout(resolve, this.#delayMs * (0.5 + Math.random()));
    this.#waiting.add(resolve);
    response.once('close', resolve);
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(resolve);
    response.off('close', resolve);
  }

  /** Sends away all who wait; no one waits from now on. */
  [Symbol.dispose](): void {
    this.#isDisposed = true;
    for (const end of this.#waiting) end();
  }
}
