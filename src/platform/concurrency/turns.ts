import { OwnerQueues } from './owner-queues.ts';

/** Fair queuing for a limited number of places. While all places are taken, the owners of waiting tasks take turns. */
export class Turns {
  readonly #perOwner: number;
  #free: number;
  readonly #takenBy = new Map<string, number>();
  readonly #waiting = new OwnerQueues<() => void>();

  /** `perOwner`: the most tasks of one owner at once. */
  constructor(places: number, perOwner = places) {
    this.#free = places;
    this.#perOwner = perOwner;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Whether a place is free. If so, the next task begins at once, unless its owner has `perOwner` tasks under way. */
  get hasFree(): boolean {
    return this.#free > 0;
  }

  /** Runs the task when its turn comes. The tasks of one owner start in call order. */
  async run<Result>(owner: string, task: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0 && this.#hasRoom(owner)) this.#take(owner);
    else await this.#turnOf(owner);
    try {
      return await task();
    } finally {
      this.#giveBack(owner);
    }
  }

  #turnOf(owner: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(owner, resolve);
    return promise;
  }

  #hasRoom(owner: string): boolean {
    return (this.#takenBy.get(owner) ?? 0) < this.#perOwner;
  }

  #take(owner: string): void {
    this.#free--;
    this.#takenBy.set(owner, (this.#takenBy.get(owner) ?? 0) + 1);
  }

  /** Gives the place to the next owner that has room. */
  #giveBack(owner: string): void {
    this.#free++;
    const left = this.#takenBy.get(owner)! - 1;
    if (left === 0) this.#takenBy.delete(owner);
    else this.#takenBy.set(owner, left);
    const next = this.#waiting.next((each) => this.#hasRoom(each));
    if (next === undefined) return;
    this.#take(next.owner);
    next.thing();
  }
}
