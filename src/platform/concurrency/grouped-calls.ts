/**
 * Group commit: while one group of calls is under way, the next one collects. A call that comes alone begins at once. The more calls come,
 * the larger the groups are.
 *
 * Clients that send the next call when they have their answer come shortly after the end of their group. Without a wait, the first of
 * twenty such clients is a group by itself, and the other nineteen are the next group. So with `gathers`, a group waits until it has as
 * many calls as the larger of the last two groups. The wait after the end of a group is at most as long as that group took, and at most
 * half a second.
 *
 * One member must not spoil its group: if the call of a member makes the group fail, each member runs again alone.
 */
import { steadyNow } from '../steady-clock.ts';
import { currentTrace, type TraceContext, withTrace } from '../trace/trace-context.ts';
import { OwnerQueues } from './owner-queues.ts';

const MOST_GATHER_MS = 500;

export type Outcome<Result> = { readonly value: Result } | { readonly error: unknown };

export interface GroupedCallsOptions<Item> {
  /** The largest size of a group. */
  readonly most: number;
  /** The most groups under way at once. */
  readonly atOnce?: number;
  /** The most calls for which a group waits. Absent: no group waits. A wait is worth its time if a group costs much more than a call. */
  readonly gathers?: number;
  /** The owner of a call. Owners take turns when more calls wait than fit into a group. */
  readonly ownerOf?: (item: Item) => string;
  /** Whether one member may have caused this failure of a group. It must be false for an outage: more calls would prolong the outage. */
  readonly isOfMember: (error: unknown) => boolean;
}

interface Call<Item, Result> extends PromiseWithResolvers<Result> {
  readonly item: Item;
  readonly trace: TraceContext | undefined;
}

export class GroupedCalls<Item, Result> {
  readonly #work: (items: readonly Item[]) => Promise<readonly Outcome<Result>[]>;
  readonly #options: GroupedCallsOptions<Item>;
  readonly #waiting = new OwnerQueues<Call<Item, Result>>();
  #underWay = 0;
  /** The sizes of the last two groups. */
  #sizes: readonly [number, number] = [0, 0];
  #lastMs = 0;
  /** When the oldest waiting call came, or when the last group ended, whichever is later. */
  #waitsSince = 0;
  #gathering: NodeJS.Timeout | undefined;

  /**
   * `work` returns an outcome for each item, in their order. If `work` throws, all calls of the group get its error. If one member may have
   * caused the error, each call runs again alone instead.
   */
  constructor(
    work: (items: readonly Item[]) => Promise<readonly Outcome<Result>[]>,
    options: GroupedCallsOptions<Item>,
  ) {
    this.#work = work;
    this.#options = options;
  }

  run(item: Item): Promise<Result> {
    const call = { item, trace: currentTrace(), ...Promise.withResolvers<Result>() };
    if (this.#waiting.size === 0) this.#waitsSince = steadyNow();
    this.#waiting.add(this.#options.ownerOf?.(item) ?? '', call);
    // Begin in a microtask: other callers that the last group has just answered may call first.
    queueMicrotask(() => this.#begin());
    return call.promise;
  }

  #begin(): void {
    while (this.#waiting.size > 0 && this.#underWay < (this.#options.atOnce ?? 1)) {
      if (this.#gathers()) return;
      this.#underWay++;
      const group = this.#nextGroup();
      const beganAt = steadyNow();
      void this.#settle(group).finally(() => {
        this.#underWay--;
        this.#sizes = [group.length, this.#sizes[0]];
        this.#waitsSince = steadyNow();
        this.#lastMs = Math.min(this.#waitsSince - beganAt, MOST_GATHER_MS);
        this.#begin();
      });
    }
  }

  /** Whether the next group waits for more calls. If so, a timer begins the group at the end of its wait. */
  #gathers(): boolean {
    clearTimeout(this.#gathering);
    const leftMs = this.#waitsSince + this.#lastMs - steadyNow();
    const wanted = Math.min(this.#options.gathers ?? 0, Math.max(...this.#sizes));
    if (this.#waiting.size >= wanted || leftMs <= 0) return false;
    this.#gathering = setTimeout(() => this.#begin(), leftMs);
    return true;
  }

  /** Takes the oldest call of each owner in turn. */
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
      // Work for several calls belongs to none of their traces.
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
