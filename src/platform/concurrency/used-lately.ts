interface Kept<Thing> {
  readonly thing: Thing;
  uses: number;
  forgets?: NodeJS.Timeout;
}

/** Keeps things by key while they are in use, and for some time after. */
export class UsedLately<Thing> {
  readonly #keptMs: number;
  readonly #kept = new Map<string, Kept<Thing>>();

  /** `keptMs`: how long a thing is kept after its last use. */
  constructor(keptMs: number) {
    this.#keptMs = keptMs;
  }

  /** Runs `work` with the thing of `key`. Makes the thing if there is none. */
  async use<Result>(
    key: string,
    make: () => Thing,
    work: (thing: Thing) => Promise<Result>,
  ): Promise<Result> {
    const kept: Kept<Thing> = this.#kept.get(key) ?? { thing: make(), uses: 0 };
    this.#kept.set(key, kept);
    clearTimeout(kept.forgets);
    kept.uses++;
    try {
      return await work(kept.thing);
    } finally {
      kept.uses--;
      if (kept.uses === 0) kept.forgets = setTimeout(() => this.#kept.delete(key), this.#keptMs).unref();
    }
  }
}
