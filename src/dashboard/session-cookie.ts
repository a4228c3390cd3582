/** The cookie of a session: its token, which the browser shows to no script and sends to no other site's form. */
import type { Request, Response } from 'express';
import { isToken } from '../accounts/secret-token.ts';
import { SESSION_DAYS } from '../accounts/session.ts';
import { readCookie } from '../web/read-cookie.ts';

export interface SessionCookie {
  /** A token, if the request has one that is well-formed. */
  read(request: Request): string | undefined;
  set(response: Response, token: string): void;
  clear(response: Response): void;
}

const DAY_MS = 24 * 3_600_000;

/**
 * `origin`: of the dashboard. On https the name has `__Host-`, so no other host can set it (RFC 6265bis, section 4.1.3.2).
 * Browsers differ in what they take from http, even on loopback, so there is a plain name. Cookies do not know ports: the
 * name has it, or two services on one machine would sign each other out.
 */
export function createSessionCookie(origin: string): SessionCookie {
  const { protocol, port } = new URL(origin);
  const isSecure = protocol === 'https:';
  const name = isSecure ? '__Host-waypost' : `waypost-${port || 80}`;
  const attributes = { httpOnly: true, secure: isSecure, sameSite: 'lax', path: '/' } as const;
  return {
    read: (request) => {
      const token = readCookie(request, name);
      return token !== undefined && isToken(token) ? token : undefined;
    },
    set: (response, token) =>
      void response.cookie(name, token, { ...attributes, maxAge: SESSION_DAYS * DAY_MS }),
    clear: (response) => void response.clearCookie(name, attributes),
  };
}
