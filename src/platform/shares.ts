/** Places that are limited in all and for each owner. Nobody waits: whoever finds none does without, or refuses. */
export class Shares {
  readonly #inAll: number;
  readonly #perOwner: number;
  readonly #taken = new Map<string, number>();
  #takenInAll = 0;

  constructor({ inAll, perOwner }: { inAll: number; perOwner: number }) {
    this.#inAll = inAll;
    this.#perOwner = perOwner;
  }

  hasPlace(owner: string | undefined): boolean {
    const own = owner === undefined ? 0 : (this.#taken.get(owner) ?? 0);
    return this.#takenInAll < this.#inAll && own < this.#perOwner;
  }

  /** Frees the place when it is called, the first time; undefined when there is no place. `owner` undefined: anyone. */
  take(owner: string | undefined): (() => void) | undefined {
    if (!this.hasPlace(owner)) return undefined;
    this.#takenInAll++;
    if (owner !== undefined) this.#taken.set(owner, (this.#taken.get(owner) ?? 0) + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#takenInAll--;
      if (owner !== undefined) this.#free(owner);
    };
  }

  #free(owner: string): void {
    const left = this.#taken.get(owner)! - 1;
    if (left === 0) this.#taken.delete(owner);
    else this.#taken.set(owner, left);
  }
}
