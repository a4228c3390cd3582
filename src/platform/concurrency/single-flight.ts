/** Joins calls: whoever asks for a key while it is being fetched waits for that fetch. */
export class SingleFlight<Result> {
  readonly #underWay = new Map<string, Promise<Result>>();

  join(key: string, fetch: () => Promise<Result>): Promise<Result> {
    const joined = this.#underWay.get(key);
    if (joined !== undefined) return joined;
    const call = fetch().finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, call);
    return call;
  }
}
