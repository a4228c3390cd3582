interface SharesOptions {
  readonly inAll: number;
  readonly perOwner: number;
  /**
   * An owner may hold at most this fraction of the free amount at the time of its request. So a part is always left for the next owner,
   * even if every owner takes as much as possible.
   */
  readonly partOfFree?: number;
}

/** Limits places or bytes, in all and per owner. A request without room does not wait: the caller refuses, or does without. */
export class Shares {
  readonly #options: Required<SharesOptions>;
  readonly #takenBy = new Map<string, number>();
  #taken = 0;

  constructor(options: SharesOptions) {
    this.#options = { partOfFree: options.inAll, ...options };
  }

  /** The total over all owners. */
  get taken(): number {
    return this.#taken;
  }

  takenBy(owner: string): number {
    return this.#takenBy.get(owner) ?? 0;
  }

  /** Returns whether there is room for `amount`. Without an owner, only the total counts. */
  hasRoom(owner: string | undefined, amount = 1): boolean {
    const { inAll, perOwner, partOfFree } = this.#options;
    const free = inAll - this.#taken;
    if (owner === undefined) return amount <= free;
    const most = Math.min(perOwner, partOfFree * free);
    return amount <= free && this.takenBy(owner) + amount <= most;
  }

  /** Returns a function that gives the amount back, once. Without room, takes nothing and returns undefined. */
  take(owner: string | undefined, amount = 1): (() => void) | undefined {
    if (!this.hasRoom(owner, amount)) return undefined;
    this.#add(owner, amount);
    let isTaken = true;
    return () => {
      if (isTaken) this.#add(owner, -amount);
      isTaken = false;
    };
  }

  #add(owner: string | undefined, amount: number): void {
    this.#taken += amount;
    if (owner === undefined) return;
    const own = this.takenBy(owner) + amount;
    if (own === 0) this.#takenBy.delete(owner);
    else this.#takenBy.set(owner, own);
  }
}
