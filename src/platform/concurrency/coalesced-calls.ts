/**
 * Coalesces calls per key: calls that arrive during a run share the next run. So the run of a caller begins after its call, and sees every
 * change that was made before the call.
 */
export class CoalescedCalls<Result> {
  /** The last run in line for each key. */
  readonly #newest = new Map<string, Promise<Result>>();
  readonly #notBegun = new Map<string, Promise<Result>>();

  /** `work` calls `begin` just before it reads anything. Later arrivals then get the next run. */
  run(key: string, work: (begin: () => void) => Promise<Result>): Promise<Result> {
    const joined = this.#notBegun.get(key);
    if (joined !== undefined) return joined;
    const next = this.#runAfter(this.#newest.get(key), key, work);
    this.#notBegun.set(key, next);
    this.#newest.set(key, next);
    const forget = () => {
      // The run may have failed before it called `begin`.
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
