/** Rate limits across all processes, counted in Postgres: requests per account, failed authentications per client. */
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Database } from '../platform/postgres/database.ts';
import { Refusal } from '../platform/refusal.ts';
import { PLAN_NAMES, type PlanName, type Plans } from './plans.ts';

const WINDOW_SECONDS = 60;

/** The state of an account, as the RateLimit headers show it. */
export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  /** Requests over the limit, including this one. */
  readonly excess: number;
}

export interface RateLimits {
  countRequest(accountId: string, plan: PlanName): Promise<RateLimitState>;
  /** Those of this minute, without counting another. */
  recentRequests(accountId: string): Promise<number>;
  /** Counts a failure. Returns the seconds for which the client is blocked; 0 while it is within its limit. */
  countFailedAuthentication(client: string): Promise<number>;
}

export function createRateLimits(database: Database, plans: Plans, failuresPerMinute: number): RateLimits {
  const limiter = (keyPrefix: string, points: number) =>
    new RateLimiterPostgres({
      storeClient: database,
      tableName: 'rate_limits',
      tableCreated: true,
      keyPrefix,
      points,
      duration: WINDOW_SECONDS,
    });
  // One prefix for all plans, so a change of plan keeps the count.
  const byPlan = Object.fromEntries(
    PLAN_NAMES.map((name) => [name, limiter('account', plans[name].requestsPerMinute)]),
  );
  const failures = limiter('failed-authentication', failuresPerMinute);
  return {
    async countRequest(accountId, plan) {
      // `penalty` counts like `consume`, but does not throw when the account is over its limit.
      const counted = await byPlan[plan]!.penalty(accountId);
      const limit = plans[plan].requestsPerMinute;
      return {
        limit,
        remaining: counted.remainingPoints,
        resetSeconds: wholeSeconds(counted.msBeforeNext),
        excess: Math.max(0, counted.consumedPoints - limit),
      };
    },
    async recentRequests(accountId) {
      return (await byPlan.free!.get(accountId))?.consumedPoints ?? 0;
    },
    async countFailedAuthentication(client) {
      const counted = await failures.penalty(client);
      return counted.consumedPoints > failuresPerMinute ? wholeSeconds(counted.msBeforeNext) : 0;
    },
  };
}

export function rateLimited(retryAfterSeconds: number): Refusal {
  const message = `Too many requests. Try again in ${retryAfterSeconds} seconds.`;
  return new Refusal('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds });
}

function wholeSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
