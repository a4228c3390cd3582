/**
 * Group commit: while one group of calls is under way, the next one collects. A call that comes alone begins at once, so
 * no call waits for a timer. The more calls come, the larger the groups.
 *
 * One member must not spoil its group: if the call of a member makes the group fail, each member runs again alone.
 */
import { currentTrace, type TraceContext, withTrace } from '../trace/trace-context.ts';
import { OwnerQueues } from './owner-queues.ts';

/** The outcome of one member of a group. */
export type Outcome<Result> = { readonly value: Result } | { readonly error: unknown };

export interface GroupedCallsOptions<Item> {
  /** The largest size of a group. */
  readonly most: number;
  /** Groups under way at once. */
  readonly atOnce?: number;
  /** The owner of a call. Owners take turns when more calls wait than fit into a group. */
  readonly ownerOf?: (item: Item) => string;
  /** Whether one member may have caused this failure of a group. False for outages: more calls would prolong them. */
  readonly isOfMember: (error: unknown) => boolean;
}

interface Call<Item, Result> {
  readonly item: Item;
  readonly trace: TraceContext | undefined;
  readonly promise: Promise<Result>;
  readonly resolve: (value: Result) => void;
  readonly reject: (error: unknown) => void;
}

export class GroupedCalls<Item, Result> {
  readonly #work: (items: readonly Item[]) => Promise<readonly Outcome<Result>[]>;
  readonly #options: GroupedCallsOptions<Item>;
  readonly #waiting = new OwnerQueues<Call<Item, Result>>();
  #underWay = 0;

  /** `work` returns an outcome for each item, in their order. If it throws, the error is the outcome of all. */
  constructor(
    work: (items: readonly Item[]) => Promise<readonly Outcome<Result>[]>,
    options: GroupedCallsOptions<Item>,
  ) {
    this.#work = work;
    this.#options = options;
  }

  run(item: Item): Promise<Result> {
    const call = { item, trace: currentTrace(), ...Promise.withResolvers<Result>() };
    this.#waiting.add(this.#options.ownerOf?.(item) ?? '', call);
    // Calls of one turn of the event loop go together, for example those of clients that a former group has answered.
    queueMicrotask(() => this.#begin());
    return call.promise;
  }

  #begin(): void {
    while (this.#waiting.size > 0 && this.#underWay < (this.#options.atOnce ?? 1)) {
      this.#underWay++;
      void this.#settle(this.#nextGroup()).finally(() => {
        this.#underWay--;
        this.#begin();
      });
    }
  }

  /** Takes one call of each owner in turn. */
  #nextGroup(): Call<Item, Result>[] {
    const group: Call<Item, Result>[] = [];
    while (group.length < this.#options.most) {
      const next = this.#waiting.next();
      if (next === undefined) break;
      group.push(next.thing);
    }
    return group;
  }

  async #settle(group: readonly Call<Item, Result>[]): Promise<void> {
    try {
      // Work of several calls is of none of their traces.
      const trace = group.length === 1 ? group[0]!.trace : undefined;
      const outcomes = await withTrace(trace, () => this.#work(group.map(({ item }) => item)));
      for (const [i, call] of group.entries()) {
        const outcome = outcomes[i]!;
        if ('value' in outcome) call.resolve(outcome.value);
        else call.reject(outcome.error);
      }
    } catch (error) {
      if (group.length > 1 && this.#options.isOfMember(error)) {
        for (const call of group) await this.#settle([call]);
      } else for (const { reject } of group) reject(error);
    }
  }
}
