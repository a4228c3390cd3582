/** Places or bytes, limited in all and per owner. Nobody waits: without room, the caller does without or refuses. */
export class Shares {
  readonly #inAll: number;
  readonly #perOwner: number;
  readonly #takenBy = new Map<string, number>();
  #taken = 0;

  constructor({ inAll, perOwner }: { inAll: number; perOwner: number }) {
    this.#inAll = inAll;
    this.#perOwner = perOwner;
  }

  /** The total over all owners. */
  get taken(): number {
    return this.#taken;
  }

  /** Without an owner, only the total counts. */
  hasRoom(owner: string | undefined, amount = 1): boolean {
    const own = owner === undefined ? 0 : (this.#takenBy.get(owner) ?? 0);
    return this.#taken + amount <= this.#inAll && own + amount <= this.#perOwner;
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
    const own = (this.#takenBy.get(owner) ?? 0) + amount;
    if (own === 0) this.#takenBy.delete(owner);
    else this.#takenBy.set(owner, own);
  }
}
