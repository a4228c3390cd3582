/**
 * Slows the deltas of a sitemap down when they write much: a changed row in each of 200 files writes 110 MB. The deltas that wait form one
 * larger group, which writes each file once.
 */
import { steadyNow } from '../../../platform/steady-clock.ts';

/** The window of the pace. Only files that were written in this time count. */
export const PACE_MS = 60_000;
/** No delta waits longer than this for its group. */
const MAX_WAIT_MS = 10_000;

export class DeltaPace {
  readonly #bytesPerMinute: number;
  readonly #written: { readonly at: number; readonly bytes: number }[] = [];
  #bytes = 0;

  constructor(bytesPerMinute: number) {
    this.#bytesPerMinute = bytesPerMinute;
  }

  wrote(bytes: number): void {
    this.#written.push({ at: steadyNow(), bytes });
    this.#bytes += bytes;
  }

  /** Waits while the last minute has more bytes than `bytesPerMinute`, but not longer than MAX_WAIT_MS. */
  async wait(): Promise<void> {
    const until = steadyNow() + MAX_WAIT_MS;
    for (let now = steadyNow(); this.#isOver(now) && now < until; now = steadyNow()) {
      const ms = Math.min(until, this.#written[0]!.at + PACE_MS) - now + 1;
      await new Promise((resolve) => setTimeout(resolve, ms));
    }
  }

  #isOver(now: number): boolean {
    while (this.#written.length > 0 && this.#written[0]!.at <= now - PACE_MS) {
      this.#bytes -= this.#written.shift()!.bytes;
    }
    return this.#bytes > this.#bytesPerMinute;
  }
}
