/**
 * Whether a request goes on: its key names an account (spec 5), and the account has requests left (spec 8).
 * Refused callers must not delay the others. Those that this process refuses from memory cost no statement, and
 * authentications with keys it does not know have few connections to Postgres, which their clients use in turns.
 */

import type { Turns } from '../platform/concurrency/turns.ts';
import { Refusal } from '../platform/refusal.ts';
import { unauthorized } from './api-key.ts';
import type { CallerMemory } from './caller-memory.ts';
import type { Caller } from './key-store.ts';
import { type RateLimitState, type RateLimits, rateLimited } from './rate-limits.ts';

export interface AdmissionOptions {
  readonly findCaller: (key: string) => Promise<Caller | undefined>;
  readonly rateLimits: RateLimits;
  readonly callerMemory: CallerMemory;
  /** Of authentications with keys that were not valid lately, by client. */
  readonly unknownKeyTurns: Turns;
  /** Told of each failed authentication, and when it was one too many. */
  readonly authenticationFailed: (client: string) => void;
  readonly clientBlocked: (client: string, seconds: number) => void;
}

export interface Admission {
  readonly caller: Caller;
  readonly state: RateLimitState;
}

/** Whoever is refused so has been told before, and asks on all the same. */
export class RepeatedRefusal extends Refusal {
  /** Of the account, where the key has one. */
  readonly state: RateLimitState | undefined;

  constructor(retryAfterSeconds: number, state?: RateLimitState) {
    const { code, message, options } = rateLimited(retryAfterSeconds);
    super(code, message, options);
    this.state = state;
  }
}

/** So many requests beyond its limit an account may send in a window before its keys are refused from memory. */
const MAX_EXCESS = 20;
/** As long as a statement may take: a database that hangs lets nobody wait for his turn. */
const MAX_WAIT_MS = 2000;

/**
 * `client`: as limits count it. Throws Refusal UNAUTHORIZED or RATE_LIMIT_EXCEEDED; the first requests beyond the limit
 * of an account are admitted, and their state says so.
 */
export async function admitCaller(
  options: AdmissionOptions,
  key: string | undefined,
  client: string,
): Promise<Admission> {
  const { callerMemory, rateLimits } = options;
  const overdrawn = key === undefined ? undefined : callerMemory.overdrawnState(key);
  if (overdrawn !== undefined) throw new RepeatedRefusal(overdrawn.resetSeconds, overdrawn);
  const isKnown = key !== undefined && callerMemory.wasValidLately(key);
  const caller = await (isKnown ? identify(options, key, client) : identifyInTurn(options, key, client));
  const state = await rateLimits.countRequest(caller.accountId, caller.plan);
  if (state.excess > MAX_EXCESS) callerMemory.overdraw(key!, state);
  else callerMemory.settle(key!);
  return { caller, state };
}

async function identifyInTurn(
  options: AdmissionOptions,
  key: string | undefined,
  client: string,
): Promise<Caller> {
  refuseBlocked(options, client);
  const giveUpAt = performance.now() + MAX_WAIT_MS;
  return options.unknownKeyTurns.run(client, () => {
    // Others of the same client may have failed meanwhile.
    refuseBlocked(options, client);
    if (performance.now() > giveUpAt) throw new Error('No turn to look the key up came in time.');
    return identify(options, key, client);
  });
}

function refuseBlocked({ callerMemory }: AdmissionOptions, client: string): void {
  const seconds = callerMemory.blockedSeconds(client);
  if (seconds > 0) throw new RepeatedRefusal(seconds);
}

async function identify(options: AdmissionOptions, key: string | undefined, client: string): Promise<Caller> {
  const { callerMemory, findCaller, rateLimits } = options;
  const caller = key === undefined ? undefined : await findCaller(key);
  if (caller !== undefined) {
    callerMemory.rememberValid(key!);
    return caller;
  }
  if (key !== undefined) callerMemory.forget(key);
  options.authenticationFailed(client);
  const blockedSeconds = await rateLimits.countFailedAuthentication(client);
  if (blockedSeconds === 0) throw unauthorized();
  callerMemory.block(client, blockedSeconds);
  options.clientBlocked(client, blockedSeconds);
  throw rateLimited(blockedSeconds);
}
