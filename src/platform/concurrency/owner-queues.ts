/**
 * Queues of waiting things, one for each owner. The owners take turns: an owner of a hundred waiting things gets no more
 * turns than an owner of one.
 */
export class OwnerQueues<Thing> {
  /** Each queue has at least one thing. The queue of the next owner is first. */
  readonly #queues = new Map<string, Thing[]>();

  /** The number of waiting things. */
  get size(): number {
    return this.#queues.values().reduce((sum, queue) => sum + queue.length, 0);
  }

  add(owner: string, thing: Thing): void {
    const queue = this.#queues.get(owner);
    if (queue === undefined) this.#queues.set(owner, [thing]);
    else queue.push(thing);
  }

  /** Takes the oldest thing of the next owner for which `mayTake` is true. That owner then goes to the end of the line. */
  next(mayTake: (owner: string) => boolean = () => true): { owner: string; thing: Thing } | undefined {
    const owner = this.#queues.keys().find(mayTake);
    if (owner === undefined) return undefined;
    const queue = this.#queues.get(owner)!;
    const thing = queue.shift()!;
    this.#queues.delete(owner);
    if (queue.length > 0) this.#queues.set(owner, queue);
    return { owner, thing };
  }
}
