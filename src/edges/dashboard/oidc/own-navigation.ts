/** Checks whether a link of our own pages opened an address. */
import type { Request } from 'express';

/**
 * Returns whether our own page opened the address. `Sec-Fetch-Site` says so. Browsers omit this header over plain http, except on loopback.
 * Without this header, `Referer` counts, which our pages send and other sites cannot forge. Another site must not begin to link an
 * identity: the site may have signed the browser in at the provider as the attacker. Another site must not accept an invitation either,
 * because the invitation may be the attacker's.
 */
export function isOwnNavigation(request: Request, origin: string): boolean {
  const site = request.get('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  return URL.parse(request.get('referer') ?? '')?.origin === origin;
}

/**
 * Returns whether the browser opens the address as a page. Without this check, another site can load the address as an image or in a frame,
 * and use up the limit of its visitor. Over plain http, browsers omit `Sec-Fetch-Dest`, and the request passes.
 */
export function isNavigation(request: Request): boolean {
  const { 'sec-fetch-dest': destination = 'document' } = request.headers;
  return destination === 'document';
}
