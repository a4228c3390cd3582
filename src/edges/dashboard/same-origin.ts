/**
 * Keeps other pages from acting with a session. SameSite=Lax is not enough: a page on another port, or on
 * another name below our domain, is the same site.
 */
import type { Request } from 'express';
import { Refusal } from '../../platform/refusal.ts';

const SAFE = ['GET', 'HEAD'];

/**
 * Refuses a change by another site. Browsers omit `Sec-Fetch-Site` over plain http, except on loopback. Without this header, `Origin`
 * counts. Throws Refusal FORBIDDEN.
 */
export function requireSameOrigin(request: Request, origin: string): void {
  if (SAFE.includes(request.method)) return;
  const site = request.get('sec-fetch-site');
  const isOurs = site === undefined ? request.get('origin') === origin : site === 'same-origin';
  if (isOurs) return;
  throw new Refusal(
    'FORBIDDEN',
    `Only pages of ${origin} may do this. If you opened the dashboard at another address, its operator sets DASHBOARD_ORIGIN.`,
  );
}
