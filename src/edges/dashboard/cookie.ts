/** Cookies of the dashboard. Scripts cannot read them, and browsers do not send them with a POST from another site. */
import type { Request, Response } from 'express';
import { isToken } from '../../features/accounts/secret-token.ts';
import { SESSION_DAYS } from '../../features/accounts/session.ts';

export type Cookie = ReturnType<typeof createCookie>;

/**
 * Creates a cookie. `origin`: the origin of the dashboard. On https the name begins with `__Host-`, so no other host can set the cookie
 * (RFC 6265bis, section 4.1.3.2). Some browsers refuse such a name on http, even on loopback, so on http the name has no prefix. All ports
 * of a host share cookies, so the name without prefix has the port. Without the port, two services on one machine sign each other out.
 */
export function createCookie(origin: string, name: string, maxAgeMs: number) {
  const { protocol, port } = new URL(origin);
  const secure = protocol === 'https:';
  const fullName = secure ? `__Host-${name}` : `${name}-${port || 80}`;
  const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const;
  return {
    read({ headers }: Request): string | undefined {
      const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
      const values = pairs.filter((pair) => pair.startsWith(`${fullName}=`));
      // If two cookies have the name, one of them is not ours.
      return values.length === 1 ? values[0]!.slice(fullName.length + 1) : undefined;
    },
    set(response: Response, value: string): void {
      response.cookie(fullName, value, { ...attributes, maxAge: maxAgeMs, encode: String });
    },
    clear(response: Response): void {
      response.clearCookie(fullName, attributes);
    },
  };
}

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
