/**
 * Admits a request when its key names an account (spec 5) and the account has requests left (spec 8). Requests of the dashboard
 * are admitted in the same way: their key is the token of a session, and the person of the session must have requests left. Refused
 * callers must not delay others. So a refusal from memory needs no statement, and lookups of unknown keys use only a few connections to
 * Postgres, on which clients take turns.
 */
import type { Turns } from '../../platform/concurrency/turns.ts';
import { Refusal } from '../../platform/refusal.ts';
import { type CallerMemory, keyHashOf } from './caller-memory.ts';
import type { KeyOwner } from './key-store.ts';
import { blockedSeconds, type CountOne, type RateLimitState, rateLimited } from './rate-limits.ts';

export interface AdmissionOptions<Owner = KeyOwner> {
  /** Looks up a key that was recently valid. Such lookups may share a statement, and do not wait for lookups of unknown keys. */
  readonly findKnownCaller: (key: string) => Promise<Owner | undefined>;
  readonly findUnknownCaller: (key: string) => Promise<Owner | undefined>;
  /** Returns the refusal of a caller whose key may not be used from this client; undefined if the key may be used. */
  readonly refuseOutside: (caller: Owner, client: string) => Refusal | undefined;
  readonly countRequest: (caller: Owner) => Promise<RateLimitState>;
  /** Counts a failed authentication of a client. */
  readonly countFailure: CountOne;
  /** Makes the refusal of a missing or invalid key. */
  readonly unauthorized: () => Refusal;
  readonly callerMemory: CallerMemory;
  /** The turns, by client, of authentications with keys that were not recently valid. */
  readonly unknownKeyTurns: Turns;
  readonly complain: {
    readonly authenticationFailed: (failure: { readonly client: string }) => void;
    /** Reports a client that has failed too often. */
    readonly clientBlocked: (block: { readonly client: string; readonly seconds: number }) => void;
  };
}

export interface Admission<Owner = KeyOwner> {
  readonly caller: Owner;
  readonly state: RateLimitState;
}

/** Refuses a caller that was refused before and keeps asking. */
export class RepeatedRefusal extends Refusal {
  /** The state of the limit that the caller has exceeded; undefined for a blocked client. */
  readonly state: RateLimitState | undefined;

  constructor(retryAfterSeconds: number, state?: RateLimitState) {
    const { code, message, options } = rateLimited(retryAfterSeconds, state?.limit);
    super(code, message, options);
    this.state = state;
  }
}

/** The key that came with a request, and its hash. */
interface GivenKey {
  readonly key: string;
  readonly hash: string;
}

/** The most requests beyond the limit in one window that we still count. After them, we refuse the key or session from memory. */
const MAX_EXCESS = 20;
/** The longest wait for a turn. It is the default of DATABASE_TIMEOUT_MS, the timeout of a statement. */
const MAX_WAIT_MS = 2000;

/**
 * Admits the caller of a request, and counts the request. `client`: the result of `clientOf`. Throws the refusals of `unauthorized` and
 * `refuseOutside`, and RATE_LIMIT_EXCEEDED if the client is blocked or the caller is known to be far beyond the limit. A request beyond the
 * limit is admitted with a `state.excess` above 0.
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
  // Requests of a client with the same new key wait for the lookup of the first request. If the key is valid, those requests need no turn.
  const lookup = given && callerMemory.lookupUnderWay(outsideOf(given, client));
  if (lookup !== undefined) await lookup;
  const isKnown = given !== undefined && callerMemory.wasValidLately(given.hash);
  if (isKnown) refuseBlocked(options, outsideOf(given, client));
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
  const lookup = options.unknownKeyTurns.run(client, () => {
    // Other requests of the client may have failed during the wait.
    refuseBlocked(options, client);
    if (performance.now() > giveUpAt) throw new Error('The lookup of the key waited too long for its turn.');
    return identify(options, options.findUnknownCaller, given, client);
  });
  if (given !== undefined) options.callerMemory.noteLookup(outsideOf(given, client), lookup);
  return lookup;
}

/** Returns the name of a pair of client and key in `callerMemory`. Blocked pairs and lookups under way have this name there. */
const outsideOf = ({ hash }: GivenKey, client: string) => `${client} ${hash}`;

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
  const { callerMemory, complain } = options;
  const caller = given && (await findCaller(given.key));
  const refusal = caller && options.refuseOutside(caller, client);
  if (caller !== undefined && refusal === undefined) {
    callerMemory.rememberValid(given!.hash);
    return caller;
  }
  if (given !== undefined && caller === undefined) callerMemory.forget(given.hash);
  complain.authenticationFailed({ client });
  const seconds = blockedSeconds(await options.countFailure(client));
  if (seconds === 0) throw refusal ?? options.unauthorized();
  callerMemory.block(client, seconds);
  // A block of the client does not stop a known key, so the pair of client and key is blocked, too.
  if (refusal !== undefined) callerMemory.block(outsideOf(given!, client), seconds);
  complain.clientBlocked({ client, seconds });
  throw rateLimited(seconds);
}
