/**
 * Bounds what a flood of unknown hosts costs the store. A look-up that finds a site is free. So many that find
 * none may end in one second; after them, until the next second, no host is looked up that we know nothing of.
 *
 * Many may be under way when the first of them come back, so a flood's first second costs MAX_UNDER_WAY more. In
 * the seconds that follow, those under way count as if they had found nothing.
 */
import { StoreUnavailable } from './guarded-storage.ts';

/** Also a bound in memory, when the store is slow. */
const MAX_UNDER_WAY = 1_000;

export interface LookUpBudgetOptions {
  readonly missesPerSecond: number;
  readonly now: () => number;
  /** Called for each look-up that is refused. */
  readonly onRefused: () => void;
}

export class LookUpBudget {
  readonly #options: LookUpBudgetOptions;
  #second = Number.NaN;
  #misses = 0;
  #underWay = 0;
  /** Whether the second before was used up. */
  #isFlood = false;

  constructor(options: LookUpBudgetOptions) {
    this.#options = options;
  }

  /** The result of `lookUp`. Throws StoreUnavailable, and does not call it, if the budget is used up. */
  async spend<Found>(lookUp: () => Promise<Found | undefined>): Promise<Found | undefined> {
    if (!this.#hasLeft()) {
      this.#options.onRefused();
      throw new StoreUnavailable('too many hosts without a site are being looked up');
    }
    this.#underWay += 1;
    try {
      const found = await lookUp();
      this.#turnSecond();
      if (found === undefined) this.#misses += 1;
      return found;
    } finally {
      this.#underWay -= 1;
    }
  }

  #hasLeft(): boolean {
    this.#turnSecond();
    const spent = this.#isFlood ? this.#misses + this.#underWay : this.#misses;
    return spent < this.#options.missesPerSecond && this.#underWay < MAX_UNDER_WAY;
  }

  #turnSecond(): void {
    const second = Math.floor(this.#options.now() / 1_000);
    if (second === this.#second) return;
    this.#isFlood = second === this.#second + 1 && this.#misses >= this.#options.missesPerSecond;
    this.#second = second;
    this.#misses = 0;
  }
}
