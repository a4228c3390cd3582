/** Places, or bytes, that are limited in all and for each owner. Nobody waits: whoever finds none does without, or refuses. */
export class Shares {
  readonly #inAll: number;
  readonly #perOwner: number;
  readonly #takenBy = new Map<string, number>();
  #taken = 0;

  constructor({ inAll, perOwner }: { inAll: number; perOwner: number }) {
    this.#inAll = inAll;
    this.#perOwner = perOwner;
  }

  /** By all owners. */
  get taken(): number {
    return this.#taken;
  }

  /** `owner` undefined: only what is taken in all counts. */
  hasRoom(owner: string | undefined, amount = 1): boolean {
    const own = owner === undefined ? 0 : (this.#takenBy.get(owner) ?? 0);
    return this.#taken + amount <= this.#inAll && own + amount <= this.#perOwner;
  }

  /** Gives it back when it is called, the first time; undefined, and nothing is taken, when there is no room. */
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
