/** Checks whether a link of our own pages opened an address. */
import type { Request } from 'express';

/**
 * Returns whether our own page opened the address. `Sec-Fetch-Site` says so. Browsers omit it over plain http, except on loopback: then
 * `Referer` counts, which our pages send and other sites cannot forge. Another site must not begin to link: if it has signed the browser in
 * at the provider, the identity may be the attacker's. Nor may it accept an invitation, which may be the attacker's too.
 */
export function isOwnNavigation(request: Request, origin: string): boolean {
  const site = request.get('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  return URL.parse(request.get('referer') ?? '')?.origin === origin;
}

/**
 * Returns whether the browser opens the address as a page. Another site that loads it as an image or in a frame could use up the limit of
 * the person who visits that site. Over plain http, browsers do not say so, and the request passes.
 */
export function isNavigation(request: Request): boolean {
  const { 'sec-fetch-dest': destination = 'document' } = request.headers;
  return destination === 'document';
}
