/**
 * Cookies that live for minutes: a sign-in under way, and an invitation. HttpOnly and SameSite=Lax, so they come back from
 * the provider. `__Host-` keeps other hosts of our domain from setting them; it needs https.
 */
import type { Request, Response } from 'express';
import { readCookie } from '../../web/read-cookie.ts';

export interface ShortCookie {
  read(request: Request): string | undefined;
  set(response: Response, value: string): void;
  clear(response: Response): void;
}

/** `origin`: of the dashboard. `name`: without its prefix. */
export function createShortCookie(origin: string, name: string, maxAgeMs: number): ShortCookie {
  const { protocol, port } = new URL(origin);
  const secure = protocol === 'https:';
  // Cookies do not know ports, so the name has it.
  const fullName = secure ? `__Host-${name}` : `${name}-${port || 80}`;
  const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const;
  return {
    read: (request) => readCookie(request, fullName),
    set(response, value) {
      response.cookie(fullName, value, { ...attributes, maxAge: maxAgeMs, encode: String });
    },
    clear(response) {
      response.clearCookie(fullName, attributes);
    },
  };
}
