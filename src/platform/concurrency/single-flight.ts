/** Single flight: all calls for a key share the fetch of the key that is under way. */
export class SingleFlight<Result> {
  readonly #underWay = new Map<string, Promise<Result>>();

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
