/**
 * Group commit: while one group of calls is under way, the next one collects. A call that comes alone begins at once. The more calls
 * come, the larger the groups.
 *
 * Clients that send again when they have their answer come shortly after the end of their group. Of twenty, the first one would be a
 * group by itself, and the others the next: two groups for twenty calls. So with `gathers`, a group waits for as many calls as the larger
 * of the last two had, but its first call waits no longer for others than the last group took, and half a second at most.
 *
 * One member must not spoil its group: if the call of a member makes the group fail, each member runs again alone.
 */
import { steadyNow } from '../steady-clock.ts';
import { currentTrace, type TraceContext, withTrace } from '../trace/trace-context.ts';
import { OwnerQueues } from './owner-queues.ts';

const MOST_GATHER_MS = 500;

/** The outcome of one member of a group. */
export type Outcome<Result> = { readonly value: Result } | { readonly error: unknown };

export interface GroupedCallsOptions<Item> {
  /** The largest size of a group. */
  readonly most: number;
  /** Groups under way at once. */
  readonly atOnce?: number;
  /** The most calls for which a group waits. Absent: it never waits. Waiting pays if a group costs much more than a call. */
  readonly gathers?: number;
  /** The owner of a call. Owners take turns when more calls wait than fit into a group. */
  readonly ownerOf?: (item: Item) => string;
  /** Whether one member may have caused this failure of a group. It must be false for an outage: more calls would prolong the outage. */
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
  /** The calls of the last two groups. */
  #sizes: readonly [number, number] = [0, 0];
  #lastMs = 0;
  /** When the first call that waits came, or when the last group ended after that. */
  #waitsSince = 0;
  #gathering: NodeJS.Timeout | undefined;

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
    if (this.#waiting.size === 0) this.#waitsSince = steadyNow();
    this.#waiting.add(this.#options.ownerOf?.(item) ?? '', call);
    // Begin after this turn of the event loop: clients that a group has answered may call in the same turn.
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

  /** Whether the next group waits for more calls. If so, it begins at the right time. */
  #gathers(): boolean {
    clearTimeout(this.#gathering);
    const leftMs = this.#waitsSince + this.#lastMs - steadyNow();
    const wanted = Math.min(this.#options.gathers ?? 0, Math.max(...this.#sizes));
    if (this.#waiting.size >= wanted || leftMs <= 0) return false;
    this.#gathering = setTimeout(() => this.#begin(), leftMs);
    return true;
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
