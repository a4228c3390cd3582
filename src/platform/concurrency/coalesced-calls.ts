/**
 * Calls of one kind that see what is there when they begin: one at a time for each key. Whoever asks while one is under
 * way gets the next, and shares it with all who ask before it has begun.
 */
export class CoalescedCalls<Result> {
  /** Of each key the call that begins last. */
  readonly #newest = new Map<string, Promise<Result>>();
  readonly #notBegun = new Map<string, Promise<Result>>();

  /** `work` calls `begin` just before it looks at anything. */
  run(key: string, work: (begin: () => void) => Promise<Result>): Promise<Result> {
    const joined = this.#notBegun.get(key);
    if (joined !== undefined) return joined;
    const next = this.#runAfter(this.#newest.get(key), key, work);
    this.#notBegun.set(key, next);
    this.#newest.set(key, next);
    const forget = () => {
      // It may have failed before it could begin.
      if (this.#notBegun.get(key) === next) this.#notBegun.delete(key);
      if (this.#newest.get(key) === next) this.#newest.delete(key);
    };
    next.then(forget, forget);
    return next;
  }

  async #runAfter(
    former: Promise<Result> | undefined,
    key: string,
    work: (begin: () => void) => Promise<Result>,
  ): Promise<Result> {
    await former?.catch(() => {});
    return work(() => this.#notBegun.delete(key));
  }
}
