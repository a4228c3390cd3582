/** Admits requests to the operator's API: those with a token of the settings, within the limit of requests of the token. */
import type { TokenHash } from '../../core/config/token-hashes.ts';
import { Turns } from '../../platform/concurrency/turns.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { type Admission, type AdmissionOptions, admitCaller } from './admit-caller.ts';
import { CallerMemory } from './caller-memory.ts';
import { nameOfToken, noOperator } from './operator-token.ts';
import { createRateLimit } from './rate-limits.ts';

export interface OperatorAdmissionOptions extends Pick<AdmissionOptions, 'complain'> {
  readonly database: Database;
  readonly tokens: readonly TokenHash[];
  /** The most failed authentications of one client. */
  readonly failuresPerMinute: number;
  /** The most requests with one token. */
  readonly requestsPerMinute: number;
}

/** The sender of an admitted request. */
interface TokenOwner {
  readonly token: string;
}

/** `client`: the result of `clientOf`. Throws as `admitCaller` does. */
export type AdmitOperator = (token: string | undefined, client: string) => Promise<Admission<TokenOwner>>;

/** The most statements at once that count failed authentications. */
const FAILURES_AT_ONCE = 1;

export function createAdmitOperator(options: OperatorAdmissionOptions): AdmitOperator {
  const { database, tokens, complain, failuresPerMinute, requestsPerMinute } = options;
  const countOfToken = createRateLimit(database, 'operator', requestsPerMinute);
  const find = async (given: string) => {
    const token = nameOfToken(tokens, given);
    return token === undefined ? undefined : { token };
  };
  const admission: AdmissionOptions<TokenOwner> = {
    ...{ findKnownCaller: find, findUnknownCaller: find, complain },
    refuseOutside: () => undefined,
    countRequest: ({ token }) => countOfToken(token),
    countFailure: createRateLimit(database, 'failed-operator', failuresPerMinute),
    unauthorized: noOperator,
    callerMemory: new CallerMemory(),
    unknownKeyTurns: new Turns(FAILURES_AT_ONCE),
  };
  return (token, client) => admitCaller(admission, token, client);
}
