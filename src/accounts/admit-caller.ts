/**
 * Admits a request when its key names an account (spec 5) and the account has requests left (spec 8). The same for sessions
 * and people: then the key is the token of the session, and the person has requests left. Refused callers
 * must not delay the others: a refusal from memory costs no statement, and lookups of unknown keys share a few
 * connections to Postgres, on which clients take turns.
 */

import type { Turns } from '../platform/concurrency/turns.ts';
import { Refusal } from '../platform/refusal.ts';
import { type CallerMemory, keyHashOf } from './caller-memory.ts';
import type { KeyOwner } from './key-store.ts';
import { type RateLimitState, rateLimited } from './rate-limits.ts';

export interface AdmissionOptions<Owner = KeyOwner> {
  /** For keys that were recently valid. They may share a statement, and wait for no other keys. */
  readonly findKnownCaller: (key: string) => Promise<Owner | undefined>;
  readonly findUnknownCaller: (key: string) => Promise<Owner | undefined>;
  readonly countRequest: (caller: Owner) => Promise<RateLimitState>;
  /** Returns the seconds for which the client is blocked; 0 while it is within its limit. */
  readonly countFailedAuthentication: (client: string) => Promise<number>;
  /** For a missing or invalid key. */
  readonly unauthorized: () => Refusal;
  readonly callerMemory: CallerMemory;
  /** For authentications with keys that were not recently valid, by client. */
  readonly unknownKeyTurns: Turns;
  /** Called for each failed authentication. */
  readonly authenticationFailed: (client: string) => void;
  /** Called when a client has failed too often. */
  readonly clientBlocked: (client: string, seconds: number) => void;
}

export interface Admission<Owner = KeyOwner> {
  readonly caller: Owner;
  readonly state: RateLimitState;
}

/** Refuses a caller that was refused before and keeps asking. */
export class RepeatedRefusal extends Refusal {
  /** The state of the account; undefined for a blocked client. */
  readonly state: RateLimitState | undefined;

  constructor(retryAfterSeconds: number, state?: RateLimitState) {
    const { code, message, options } = rateLimited(retryAfterSeconds, state?.limit);
    super(code, message, options);
    this.state = state;
  }
}

/** What the request came with. */
interface GivenKey {
  readonly key: string;
  readonly hash: string;
}

/** Requests beyond the limit in one window. After them we refuse the keys of the account from memory. */
const MAX_EXCESS = 20;
/** Equals the timeout of a statement. If the database hangs, callers do not wait longer for their turn. */
const MAX_WAIT_MS = 2000;

/**
 * `client`: as the limits count it. Throws Refusal UNAUTHORIZED or RATE_LIMIT_EXCEEDED. It does not throw for a
 * request that it counted and that is over the limit of its account: `state.excess` says so.
 */
export async function admitCaller<Owner>(
  options: AdmissionOptions<Owner>,
  key: string | undefined,
  client: string,
): Promise<Admission<Owner>> {
  const { callerMemory } = options;
  const given = key === undefined ? undefined : { key, hash: keyHashOf(key) };
  const overdrawn = given && callerMemory.overdrawnState(given.hash);
  if (overdrawn !== undefined) throw new RepeatedRefusal(overdrawn.resetSeconds, overdrawn);
  const isKnown = given !== undefined && callerMemory.wasValidLately(given.hash);
  const caller = await (isKnown
    ? identify(options, options.findKnownCaller, given, client)
    : identifyInTurn(options, given, client));
  const state = await options.countRequest(caller);
  if (state.excess > MAX_EXCESS) callerMemory.overdraw(given!.hash, state);
  else callerMemory.settle(given!.hash);
  return { caller, state };
}

async function identifyInTurn<Owner>(
  options: AdmissionOptions<Owner>,
  given: GivenKey | undefined,
  client: string,
): Promise<Owner> {
  refuseBlocked(options, client);
  const giveUpAt = performance.now() + MAX_WAIT_MS;
  return options.unknownKeyTurns.run(client, () => {
    // Other requests of the client may have failed meanwhile.
    refuseBlocked(options, client);
    if (performance.now() > giveUpAt) throw new Error('The lookup of the key waited too long for its turn.');
    return identify(options, options.findUnknownCaller, given, client);
  });
}

function refuseBlocked({ callerMemory }: Pick<AdmissionOptions, 'callerMemory'>, client: string): void {
  const seconds = callerMemory.blockedSeconds(client);
  if (seconds > 0) throw new RepeatedRefusal(seconds);
}

async function identify<Owner>(
  options: AdmissionOptions<Owner>,
  findCaller: (key: string) => Promise<Owner | undefined>,
  given: GivenKey | undefined,
  client: string,
): Promise<Owner> {
  const { callerMemory } = options;
  const caller = given && (await findCaller(given.key));
  if (caller !== undefined) {
    callerMemory.rememberValid(given!.hash);
    return caller;
  }
  if (given !== undefined) callerMemory.forget(given.hash);
  options.authenticationFailed(client);
  const blockedSeconds = await options.countFailedAuthentication(client);
  if (blockedSeconds === 0) throw options.unauthorized();
  callerMemory.block(client, blockedSeconds);
  options.clientBlocked(client, blockedSeconds);
  throw rateLimited(blockedSeconds);
}
