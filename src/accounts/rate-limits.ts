/** Rate limits across all processes, counted in Postgres: requests per account, failed authentications per client. */
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Database } from '../platform/postgres/database.ts';
import { Refusal } from '../platform/refusal.ts';
import { PLAN_NAMES, type PlanName, type Plans } from './plans.ts';

const WINDOW_SECONDS = 60;
/** Of an account. */
const REQUESTS = 'account';

/** The state of an account or another subject, as the RateLimit headers show it. */
export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  /** Requests over the limit, including this one. */
  readonly excess: number;
}

export interface RateLimits {
  countRequest(accountId: string, plan: PlanName): Promise<RateLimitState>;
  /** Counts a failure. Returns the seconds for which the client is blocked; 0 while it is within its limit. */
  countFailedAuthentication(client: string): Promise<number>;
}

export function createRateLimits(database: Database, plans: Plans, failuresPerMinute: number): RateLimits {
  // One name for all plans, so a change of plan keeps the count.
  const byPlan = Object.fromEntries(
    PLAN_NAMES.map((name) => [name, createRateLimit(database, REQUESTS, plans[name].requestsPerMinute)]),
  );
  const countFailure = createRateLimit(database, 'failed-authentication', failuresPerMinute);
  return {
    countRequest: (accountId, plan) => byPlan[plan]!(accountId),
    countFailedAuthentication: async (client) => blockedSeconds(await countFailure(client)),
  };
}

/** The requests of an account in this minute, without counting another. */
export type RequestsOf = (accountId: string) => Promise<number>;

export function createRequestsOf(database: Database): RequestsOf {
  const limiter = createLimiter(database, REQUESTS, 1);
  return async (accountId) => (await limiter.get(accountId))?.consumedPoints ?? 0;
}

/** Counts one more of a subject: a user, a client. It does not throw beyond the limit. */
export type CountOne = (subject: string) => Promise<RateLimitState>;

/** A limit per minute. `name`: tells its counts from those of other limits. */
export function createRateLimit(database: Database, name: string, limit: number): CountOne {
  const limiter = createLimiter(database, name, limit);
  return async (subject) => {
    // `penalty` counts like `consume`, but does not throw.
    const counted = await limiter.penalty(subject);
    return {
      limit,
      remaining: counted.remainingPoints,
      resetSeconds: wholeSeconds(counted.msBeforeNext),
      excess: Math.max(0, counted.consumedPoints - limit),
    };
  };
}

function createLimiter(database: Database, name: string, limit: number): RateLimiterPostgres {
  return new RateLimiterPostgres({
    storeClient: database,
    tableName: 'rate_limits',
    tableCreated: true,
    keyPrefix: name,
    points: limit,
    duration: WINDOW_SECONDS,
  });
}

/** 0 within the limit. */
export function blockedSeconds({ excess, resetSeconds }: RateLimitState): number {
  return excess > 0 ? resetSeconds : 0;
}

export function rateLimited(retryAfterSeconds: number): Refusal {
  const message = `Too many requests. Try again in ${retryAfterSeconds} seconds.`;
  return new Refusal('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds });
}

function wholeSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
