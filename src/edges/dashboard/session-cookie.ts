/** The cookie with the token of a session. */
import { isToken } from '../../features/accounts/secret-token.ts';
import { SESSION_DAYS } from '../../features/accounts/session.ts';
import { type Cookie, createCookie } from './cookie.ts';

const DAY_MS = 24 * 3_600_000;

/** Creates the cookie. A read ignores values that cannot be a token. `origin`: the origin of the dashboard. */
export function createSessionCookie(origin: string): Cookie {
  const cookie = createCookie(origin, 'waypost', SESSION_DAYS * DAY_MS);
  return {
    ...cookie,
    read(request) {
      const token = cookie.read(request);
      return token !== undefined && isToken(token) ? token : undefined;
    },
  };
}
