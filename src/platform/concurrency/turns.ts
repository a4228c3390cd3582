/**
 * Fair queuing for a limited number of places. While all places are taken, the owners of waiting tasks take turns:
 * an owner of a hundred waiting tasks gets no more turns than an owner of one.
 */
export class Turns {
  #free: number;
  /** The waiting tasks of each owner, never empty. The next owner comes first. */
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(places: number) {
    this.#free = places;
  }

  /** How many tasks wait. */
  get waiting(): number {
    return this.#waiting.values().reduce((sum, queue) => sum + queue.length, 0);
  }

  /** Runs the task when its turn comes. The tasks of one owner start in call order. */
  async run<Result>(owner: string, task: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await this.#turnOf(owner);
    try {
      return await task();
    } finally {
      this.#passOn();
    }
  }

  #turnOf(owner: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const queue = this.#waiting.get(owner);
    if (queue === undefined) this.#waiting.set(owner, [resolve]);
    else queue.push(resolve);
    return promise;
  }

  /** Gives a place to the next owner, which then moves to the end of the line. */
  #passOn(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free++;
      return;
    }
    const [owner, queue] = next;
    const begin = queue.shift()!;
    this.#waiting.delete(owner);
    if (queue.length > 0) this.#waiting.set(owner, queue);
    begin();
  }
}
