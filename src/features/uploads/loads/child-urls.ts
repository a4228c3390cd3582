/** Decides which sitemaps an index may send us to. */
import { MAX_URL_LENGTH } from '../../../core/sitemap/limits.ts';
import { registeredName } from '../../domains/dns-zone.ts';
import { shownAddress } from './load.ts';
import { SourceFailure } from './source-failure.ts';

/**
 * `index`: the address that answered; relative addresses are resolved by it. An address that is listed twice counts once, and those in
 * `known` are left out. Throws SourceFailure for an address that is too long or not of the web, and for a sitemap of another registrable
 * domain, unless its host is in `allowHosts`.
 */
export function childUrls(
  index: string,
  locs: readonly string[],
  allowHosts: readonly string[],
  known: ReadonlySet<string>,
): string[] {
  const own = registeredName(new URL(index).hostname);
  const found = new Set<string>();
  for (const loc of locs) {
    if (loc.length > MAX_URL_LENGTH)
      throw new SourceFailure('refused', `lists an address of more than ${MAX_URL_LENGTH} characters`);
    const url = URL.parse(loc, index);
    if (url === null) throw new SourceFailure('refused', `lists ${JSON.stringify(loc)}, which is no address`);
    const { hostname, protocol } = url;
    // Only the owner of a connection may name addresses in buckets.
    if (protocol !== 'https:' && protocol !== 'http:') {
      throw new SourceFailure('refused', `lists ${JSON.stringify(loc)}, which is no address of the web`);
    }
    if (registeredName(hostname) !== own && !allowHosts.includes(hostname)) {
      throw new SourceFailure(
        'refused',
        `lists ${shownAddress(url.href)}, which is of another domain; name ${hostname} in allowHosts if it is yours`,
      );
    }
    url.hash = '';
    if (!known.has(url.href)) found.add(url.href);
  }
  return [...found];
}
