/** Single flight: calls for a key that is already being fetched share that fetch. */
export class SingleFlight<Result> {
  readonly #underWay = new Map<string, Promise<Result>>();

  /** The fetch of this key that is under way, if any. */
  find(key: string): Promise<Result> | undefined {
    return this.#underWay.get(key);
  }

  join(key: string, fetch: () => Promise<Result>): Promise<Result> {
    const joined = this.#underWay.get(key);
    if (joined !== undefined) return joined;
    const call = fetch().finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, call);
    return call;
  }
}
