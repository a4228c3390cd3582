/** How often a client may sign in, per minute. */
import { createRateLimit } from '../../accounts/rate-limits.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { type ClientLimit, createClientLimit } from '../client-limit.ts';

export interface SignInLimits {
  readonly starts: ClientLimit;
  /** Of what comes back from a provider, or says so. */
  readonly failures: ClientLimit;
  readonly invitations: ClientLimit;
  /** Of those that were refused. A provider sends the others, all from one address. */
  readonly logoutTokens: ClientLimit;
}

export function createSignInLimits(database: Database): SignInLimits {
  const limit = (name: string, perMinute: number) =>
    createClientLimit(createRateLimit(database, name, perMinute));
  return {
    starts: limit('sign-in', 20),
    failures: limit('failed-sign-in', 10),
    invitations: limit('invitation', 10),
    logoutTokens: limit('refused-logout-token', 60),
  };
}
