/** Rate limits over all processes, counted in Postgres: requests per account, failed authentications per address. */
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Database } from '../platform/database.ts';
import { Refusal } from '../platform/refusal.ts';
import { PLAN_NAMES, type PlanName, type Plans } from './plans.ts';

const WINDOW_SECONDS = 60;

/** How much of its limit the account has left; what the RateLimit headers say. */
interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  /** This request is over the limit. */
  readonly isExceeded: boolean;
}

export interface RateLimits {
  countRequest(accountId: string, plan: PlanName): Promise<RateLimitState>;
  /** Throws Refusal RATE_LIMIT_EXCEEDED when the address has failed too often within a minute. */
  countFailedAuthentication(address: string): Promise<void>;
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
  // One prefix for all plans: a change of plan keeps the count.
  const byPlan = Object.fromEntries(
    PLAN_NAMES.map((name) => [name, limiter('account', plans[name].requestsPerMinute)]),
  );
  const failures = limiter('failed-authentication', failuresPerMinute);
  return {
    async countRequest(accountId, plan) {
      // `penalty` counts like `consume`, but a full account is an answer and not an exception.
      const counted = await byPlan[plan]!.penalty(accountId);
      const limit = plans[plan].requestsPerMinute;
      return {
        limit,
        remaining: counted.remainingPoints,
        resetSeconds: wholeSeconds(counted.msBeforeNext),
        isExceeded: counted.consumedPoints > limit,
      };
    },
    async countFailedAuthentication(address) {
      const counted = await failures.penalty(address);
      if (counted.consumedPoints > failuresPerMinute) throw rateLimited(wholeSeconds(counted.msBeforeNext));
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
