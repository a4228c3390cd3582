/**
 * Bounds what a flood of unknown hosts costs the store: looks into the host directory for hosts that it did not have a
 * moment ago, and, while there is no directory, looks for their sites. A look-up that finds something is free. So many
 * that find nothing may end in one second, and a part of them for one client; after them none is made until the next.
 *
 * Many may be under way when the first of them come back, so a flood's first second costs UNDER_WAY more. In
 * the seconds that follow, those under way count as if they had found nothing.
 */
import { Shares } from '../../platform/concurrency/shares.ts';
import { Busy } from '../bodies/busy.ts';

/** Also a bound in memory, when the store is slow. */
const UNDER_WAY = { inAll: 1_000, perOwner: 100 };
/** Of all look-ups that find nothing; those of one client may be no more. */
const CLIENTS_PART = 0.1;

export interface LookUpBudgetOptions {
  readonly missesPerSecond: number;
  readonly now: () => number;
  /** Called for each look-up that is refused. */
  readonly onRefused: () => void;
}

export class LookUpBudget {
  readonly #options: LookUpBudgetOptions;
  readonly #underWay = new Shares(UNDER_WAY);
  #second = Number.NaN;
  #misses = 0;
  readonly #missesOf = new Map<string, number>();
  /** Whether the second before was used up. */
  #isFlood = false;

  constructor(options: LookUpBudgetOptions) {
    this.#options = options;
  }

  /** The result of `lookUp`. Throws Busy, and does not call it, if the budget is used up. `client`: who asks. */
  async spend<Found>(
    client: string | undefined,
    lookUp: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    const leave = this.hasLeft(client) ? this.#underWay.take(client) : undefined;
    if (leave === undefined) {
      this.#options.onRefused();
      throw new Busy('too many hosts without a site are being looked up');
    }
    try {
      const found = await lookUp();
      this.#turnSecond();
      if (found === undefined) this.#miss(client);
      return found;
    } finally {
      leave();
    }
  }

  /** Whether a look-up of this client would be made now. */
  hasLeft(client: string | undefined): boolean {
    this.#turnSecond();
    const { missesPerSecond } = this.#options;
    const spent = this.#isFlood ? this.#misses + this.#underWay.taken : this.#misses;
    const own = client === undefined ? 0 : (this.#missesOf.get(client) ?? 0);
    const isWithin = spent < missesPerSecond && own < Math.ceil(missesPerSecond * CLIENTS_PART);
    return isWithin && this.#underWay.hasRoom(client);
  }

  #miss(client: string | undefined): void {
    this.#misses += 1;
    if (client !== undefined) this.#missesOf.set(client, (this.#missesOf.get(client) ?? 0) + 1);
  }

  #turnSecond(): void {
    const second = Math.floor(this.#options.now() / 1_000);
    if (second === this.#second) return;
    this.#isFlood = second === this.#second + 1 && this.#misses >= this.#options.missesPerSecond;
    this.#second = second;
    this.#misses = 0;
    this.#missesOf.clear();
  }
}
