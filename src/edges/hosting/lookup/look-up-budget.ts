/**
 * Bounds what a flood of unknown hosts costs the store. A look-up that finds its host is free. Each second has a budget of look-ups without
 * a result, of which one client may use CLIENTS_PART. When the budget is used up, there are no more look-ups until the next second. For
 * sites, the budget counts reads of the host directory for hosts that a fresh shard lacks and, while there is no directory, reads of
 * `site.json`.
 *
 * Many look-ups may be under way when the first of them end without a result, so the first second of a flood costs UNDER_WAY more. In the
 * following seconds, look-ups under way count as look-ups without a result.
 */
import { Shares } from '../../../platform/concurrency/shares.ts';
import { Busy } from '../bodies/busy.ts';

/** The most look-ups under way. The limit bounds memory too, when the store is slow. */
const UNDER_WAY = { inAll: 1_000, perOwner: 100 };
/** The largest part of the budget for one client. */
const CLIENTS_PART = 0.1;

export interface LookUpBudgetOptions {
  readonly missesPerSecond: number;
  readonly now: () => number;
  /** A function that is called for each refused look-up. */
  readonly onRefused: () => void;
}

export class LookUpBudget {
  readonly #options: LookUpBudgetOptions;
  readonly #underWay = new Shares(UNDER_WAY);
  #second = Number.NaN;
  #misses = 0;
  readonly #missesOf = new Map<string, number>();
  /** Whether the budget of the previous second was used up. */
  #isFlood = false;

  constructor(options: LookUpBudgetOptions) {
    this.#options = options;
  }

  /** Calls `lookUp`, or throws Busy if the budget is used up. `client`: the owner of the request. */
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

  /** Returns whether `spend` admits a look-up of this client now. */
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
