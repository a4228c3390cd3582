/**
 * Rate limits per minute, for example of the requests of an account or of the failed authentications of a client. `createLocalLimit` counts
 * in this process. All other limits are counted in Postgres, over all processes: one statement counts all requests that come at the same
 * time. Each of these requests gets a count of its own, as if they came one after the other.
 */
import { LRUCache } from 'lru-cache';
import { mostEntries } from '../../platform/most-entries.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { inGroups } from '../../platform/postgres/in-groups.ts';
import { Refusal } from '../../platform/refusal.ts';
import { steadyNow } from '../../platform/steady-clock.ts';
import type { PlanName, Plans } from './plans.ts';
import { addToCounts, type Count } from './rate-limit-store.ts';
import { addToRequests } from './request-count-store.ts';

const WINDOW_MS = 60_000;
/** The changes per minute that all people of an account may make in the dashboard, even if its keys have used up the plan. */
export const CHANGES_OF_PEOPLE = 20;

/** The state of an account or another subject, as the RateLimit headers show it. */
export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  /** The number of requests beyond the limit, with the current request. */
  readonly excess: number;
}

export function createRateLimits(database: Database, plans: Plans) {
  const countInPlan = createRequestCount(database);
  const countOfPeople = createRateLimit(database, 'change', CHANGES_OF_PEOPLE);
  const countRequest = (accountId: string, plan: PlanName) =>
    countInPlan({ accountId, limit: plans[plan].requestsPerMinute });
  return {
    countRequest,
    /** Counts a change by a person. The change counts towards the limit of the plan too. */
    async countChange(accountId: string, plan: PlanName): Promise<RateLimitState> {
      const [ofPeople, ofAll] = await Promise.all([countOfPeople(accountId), countRequest(accountId, plan)]);
      return ofPeople.excess < ofAll.excess ? ofPeople : ofAll;
    },
  };
}

/** Counts one more request of a subject, such as a user or a client. Does not throw beyond the limit. */
export type CountOne = (subject: string) => Promise<RateLimitState>;

/**
 * Creates a limit per minute. `name`: separates the counts of this limit from those of other limits. Each limit groups its own statements,
 * so a flood of one kind does not delay others.
 */
export function createRateLimit(database: Database, name: string, limit: number): CountOne {
  const count = inGroups(database, (subjects: readonly string[]) =>
    countInTurn(subjects, (different, times) => {
      const keys = different.map((subject) => `${name}:${subject}`);
      return addToCounts(database, keys, times, WINDOW_MS);
    }),
  );
  return async (subject) => stateOf(await count(subject), limit);
}

/** The most subjects that a process counts by itself, about 100 bytes each. */
const MAX_COUNTED_HERE = 100_000;

/** Creates a limit for frequent requests that are too cheap for a statement each. Each process counts only its own requests. */
export function createLocalLimit(limit: number, now: () => number = steadyNow): CountOne {
  const windows = new LRUCache<string, { points: number; readonly endsAt: number }>(
    mostEntries(MAX_COUNTED_HERE),
  );
  return async (subject) => {
    const at = now();
    const last = windows.get(subject);
    const window = last !== undefined && at < last.endsAt ? last : { points: 0, endsAt: at + WINDOW_MS };
    window.points++;
    windows.set(subject, window);
    return stateOf({ points: window.points, leftMs: window.endsAt - at }, limit);
  };
}

interface AskedRequest {
  readonly accountId: string;
  readonly limit: number;
}

function createRequestCount(database: Database): (asked: AskedRequest) => Promise<RateLimitState> {
  return inGroups(database, async (group: readonly AskedRequest[]) => {
    // While the plan of an account changes, its requests of one group may have two limits.
    const limits = new Map(group.map(({ accountId, limit }) => [accountId, limit]));
    const ids = group.map(({ accountId }) => accountId);
    const counts = await countInTurn(ids, (accountIds, times) => {
      const added = accountIds.map((accountId, i) => ({
        ...{ accountId, requests: times[i]!, limit: limits.get(accountId)! },
      }));
      return addToRequests(database, added, WINDOW_MS);
    });
    return group.map(({ limit }, i) => stateOf(counts[i]!, limit));
  });
}

/** Counts all subjects in one statement. A subject that occurs several times gets as many successive counts. */
async function countInTurn(
  subjects: readonly string[],
  add: (different: readonly string[], times: readonly number[]) => Promise<readonly Count[]>,
): Promise<readonly Count[]> {
  const times = new Map<string, number>();
  const turns = subjects.map((subject) => {
    const turn = (times.get(subject) ?? 0) + 1;
    times.set(subject, turn);
    return turn;
  });
  const different = [...times.keys()];
  const counts = await add(different, [...times.values()]);
  const last = new Map(different.map((subject, i) => [subject, counts[i]!]));
  return subjects.map((subject, i) => {
    const { points, leftMs } = last.get(subject)!;
    return { points: points - times.get(subject)! + turns[i]!, leftMs };
  });
}

function stateOf({ points, leftMs }: Count, limit: number): RateLimitState {
  return {
    limit,
    remaining: Math.max(0, limit - points),
    resetSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
    excess: Math.max(0, points - limit),
  };
}

/** Returns the seconds for which a subject is blocked; 0 within the limit. */
export function blockedSeconds({ excess, resetSeconds }: RateLimitState): number {
  return excess > 0 ? resetSeconds : 0;
}

/** Returns the refusal beyond a limit. `limit`: the caller's requests per minute; undefined if another limit was reached. */
export function rateLimited(retryAfterSeconds: number, limit?: number): Refusal {
  const reason = limit === undefined ? '' : `: ${limit.toLocaleString('en-US')} a minute are allowed`;
  const message = `Too many requests${reason}. Try again in ${retryAfterSeconds} seconds.`;
  return new Refusal('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds });
}
