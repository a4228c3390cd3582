/** Limits, per client and minute, requests that need no session. Requests beyond a limit are refused from memory. */
import { CallerMemory } from '../../features/accounts/caller-memory.ts';
import type { Admissions } from '../../features/accounts/open-admission.ts';
import { blockedSeconds, type CountOne } from '../../features/accounts/rate-limits.ts';

export type SignInLimits = ReturnType<typeof createSignInLimits>;

export function createSignInLimits({ createLimit }: Pick<Admissions, 'createLimit'>) {
  const limit = (name: string, perMinute: number) => createClientLimit(createLimit(name, perMinute));
  return {
    links: limit('one-time-link', 10),
    /** The limit of sign-outs with a token that has no session. Each such sign-out costs a statement. */
    failedSignOuts: limit('failed-sign-out', 20),
    starts: limit('sign-in', 20),
    /** The limit of failed requests to the callback of a provider. */
    failures: limit('failed-sign-in', 10),
    invitations: limit('invitation', 10),
    /** The limit of refused logout tokens. Valid tokens have no limit: a provider sends all of them from one address. */
    logoutTokens: limit('refused-logout-token', 60),
  };
}

/** Creates a limit of each client, counted in Postgres. */
function createClientLimit(countOne: CountOne) {
  const memory = new CallerMemory();
  return {
    /** Returns the seconds to wait, from memory; 0 within the limit. Counts nothing. */
    blockedSeconds: (client: string) => memory.blockedSeconds(client),
    /** Counts one more request, unless the client is blocked already. Returns the seconds to wait; 0 within the limit. */
    async count(client: string): Promise<number> {
      const known = memory.blockedSeconds(client);
      if (known > 0) return known;
      const seconds = blockedSeconds(await countOne(client));
      if (seconds > 0) memory.block(client, seconds);
      return seconds;
    },
  };
}
