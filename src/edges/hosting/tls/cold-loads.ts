/**
 * Bounds how often certificates are loaded. Making a secure context blocks the event loop for 0.3 ms, so a client that visits thousands of
 * hosts can keep the event loop from all other work. Clients take turns.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Turns } from '../../../platform/concurrency/turns.ts';
import { Busy } from '../bodies/busy.ts';

/** The interval between loads of certificates: 200 a second take 6 % of the time of the event loop. */
const INTERVAL_MS = 5;
/** The most loads without an interval after a pause. They take some 10 ms. */
const AT_ONCE = 30;
/** The most loads that wait. They take some 5 s, which is half of the time that a handshake may take. */
const MAX_WAITING = 1_000;

export class ColdLoads {
  readonly #turns = new Turns(1);
  #nextAt = 0;

  /** Runs `load` when it is the client's turn. Throws Busy when too many loads wait. */
  run<Loaded>(client: string, load: () => Loaded): Promise<Loaded> {
    if (this.#turns.waiting >= MAX_WAITING) throw new Busy('too many certificates are being loaded');
    return this.#turns.run(client, async () => {
      const now = performance.now();
      if (now < this.#nextAt) await delay(this.#nextAt - now);
      this.#nextAt = Math.max(this.#nextAt, now - AT_ONCE * INTERVAL_MS) + INTERVAL_MS;
      return load();
    });
  }
}
