/** Limits per client address and minute, counted in Postgres. Beyond one, clients are refused from memory. */
import { CallerMemory } from '../../accounts/caller-memory.ts';
import { blockedSeconds, createRateLimit } from '../../accounts/rate-limits.ts';
import type { Database } from '../../platform/postgres/database.ts';

export interface ClientLimit {
  /** Seconds to wait; 0 within the limit. Asks nobody. */
  blockedSeconds(client: string): number;
  /** Counts one more. Returns the seconds to wait. */
  count(client: string): Promise<number>;
}

export interface SignInLimits {
  readonly starts: ClientLimit;
  /** Of what comes back from a provider, or says so. */
  readonly failures: ClientLimit;
  readonly invitations: ClientLimit;
  readonly logoutTokens: ClientLimit;
}

const STARTS = 20;
const FAILURES = 10;
const INVITATIONS = 10;
/** Of those that were refused. A provider sends the others, all from one address. */
const LOGOUT_TOKENS = 60;

export function createSignInLimits(database: Database): SignInLimits {
  const memory = new CallerMemory();
  const limit = (name: string, perMinute: number): ClientLimit => {
    const countOne = createRateLimit(database, name, perMinute);
    const key = (client: string) => `${name} ${client}`;
    return {
      blockedSeconds: (client) => memory.blockedSeconds(key(client)),
      async count(client) {
        const known = memory.blockedSeconds(key(client));
        if (known > 0) return known;
        const seconds = blockedSeconds(await countOne(client));
        if (seconds > 0) memory.block(key(client), seconds);
        return seconds;
      },
    };
  };
  return {
    starts: limit('sign-in', STARTS),
    failures: limit('failed-sign-in', FAILURES),
    invitations: limit('invitation', INVITATIONS),
    logoutTokens: limit('refused-logout-token', LOGOUT_TOKENS),
  };
}
