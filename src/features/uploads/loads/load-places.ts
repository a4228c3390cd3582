/**
 * The places of the loads under way in one process. A load that mostly waits for its hosts takes hardly any processor time and a few
 * megabytes, so it holds no place. With a place, it holds up the loads of all other accounts for hours.
 */
import { steadyNow } from '../../../platform/steady-clock.ts';

const PLACES = 16;
/** Each period of this length decides whether a load holds a place in the next one. In its first period, a load holds a place. */
const JUDGED_MS = 30_000;
/** A load waits for its hosts if this process worked for it during less than this share of the time. */
const WAITING_SHARE = 0.1;

/** Measures how long a process works for a load. The objects of a load may be under way at the same time. */
export class WorkMeter {
  #underWay = 0;
  #since = 0;
  #workMs = 0;

  /** Counts the time until the disposal as work. */
  work(): Disposable {
    this.#begin();
    return { [Symbol.dispose]: () => this.#end() };
  }

  /** Does not count the time until the disposal as work. Call it while work is under way. */
  wait(): Disposable {
    this.#end();
    return { [Symbol.dispose]: () => this.#begin() };
  }

  /** Returns the milliseconds of work since the last call. */
  take(): number {
    const now = steadyNow();
    const workMs = this.#workMs + (this.#underWay > 0 ? now - this.#since : 0);
    this.#workMs = 0;
    this.#since = now;
    return workMs;
  }

  #begin(): void {
    if (this.#underWay++ === 0) this.#since = steadyNow();
  }

  #end(): void {
    if (--this.#underWay === 0) this.#workMs += steadyNow() - this.#since;
  }
}

export class LoadPlaces {
  readonly #loads = new Map<WorkMeter, { readonly since: number; readonly waits: boolean }>();

  /** Counts the load until the disposal. */
  hold(meter: WorkMeter): Disposable {
    this.#loads.set(meter, { since: steadyNow(), waits: false });
    return { [Symbol.dispose]: () => void this.#loads.delete(meter) };
  }

  /** Returns how many loads may begin. */
  free(): number {
    let held = 0;
    for (const [meter, { since, waits }] of this.#loads) {
      const ms = steadyNow() - since;
      const isDue = ms >= JUDGED_MS;
      const waitsNow = isDue ? meter.take() < WAITING_SHARE * ms : waits;
      if (isDue) this.#loads.set(meter, { since: steadyNow(), waits: waitsNow });
      if (!waitsNow) held++;
    }
    // Loads that have waited may work again, so more of them may work than there are places.
    return Math.max(0, PLACES - held);
  }
}
