/**
 * Delays the answer to a refused caller. Some clients ask again after each answer. Without the delay, such a client asks as often as we can
 * answer. With the delay, it asks once a second on each connection.
 */
import type { ServerResponse } from 'node:http';

/** The most answers that wait. Each wait costs a timer and an open connection. */
const MAX_WAITING = 2000;
/** The average delay in ms. A delay is between half of it and three halves of it. */
const DELAY_MS = 1000;

export class Tarpit implements Disposable {
  readonly #maxWaiting: number;
  /** The functions that end the waits under way, one for each wait. */
  readonly #waiting = new Set<() => void>();
  #isDisposed = false;

  constructor({ maxWaiting = MAX_WAITING } = {}) {
    this.#maxWaiting = maxWaiting;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Resolves when the answer should be sent: after the delay, or earlier when the client leaves or the server ends. If too many answers
   * wait already, `hold` resolves at once, and the connection ends with the answer.
   */
  async hold(response: ServerResponse): Promise<void> {
    if (this.#isDisposed || response.closed) return;
    if (this.#waiting.size >= this.#maxWaiting) {
      response.setHeader('Connection', 'close');
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    // The delay is random, so that clients that came at the same time do not come back at the same time.
    const timer = setTimeout(resolve, DELAY_MS * (0.5 + Math.random()));
    this.#waiting.add(resolve);
    response.once('close', resolve);
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(resolve);
    response.off('close', resolve);
  }

  /** Ends all waits. From now on, `hold` resolves at once. */
  [Symbol.dispose](): void {
    this.#isDisposed = true;
    for (const end of this.#waiting) end();
  }
}
