/** Whether a link of our own pages opened this address. */
import type { Request } from 'express';

/**
 * Browsers say so in `Sec-Fetch-Site`. Over plain http off loopback they do not: then `Referer` counts, which our pages send
 * and others cannot forge. A page of others must not begin to link: the identity may be its own, if it has signed the browser
 * in at the provider. Nor may it accept an invitation: that may be its own, too.
 */
export function isOwnNavigation(request: Request, origin: string): boolean {
  const site = request.get('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  return URL.parse(request.get('referer') ?? '')?.origin === origin;
}

/**
 * Whether the browser opens the address as a page of its own. What a page of others loads as an image or in a frame would use up
 * the limit of the person who looks at it. Browsers over plain http do not say.
 */
export function isNavigation(request: Request): boolean {
  const { 'sec-fetch-dest': destination = 'document' } = request.headers;
  return destination === 'document';
}
