/** Decides which of the addresses in an index, or in a robots.txt, are read. */
import { MAX_URL_LENGTH } from '../../../core/sitemap/limits.ts';
import { shownText } from '../../../platform/shown-value.ts';
import { registeredName } from '../../domains/dns-zone.ts';
import { shownAddress } from './load.ts';
import { refused } from './source-failure.ts';

/**
 * `index`: the address that answered. Relative addresses are resolved against it. Leaves out repeated addresses, and those in `known`.
 * Throws SourceFailure for an address that is too long or not of the web. Also throws it for a host of another registrable domain that is
 * not in `allowHosts`.
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
      throw refused(`lists an address of more than ${MAX_URL_LENGTH} characters`);
    const url = URL.parse(loc, index);
    if (url === null) throw refused(`lists ${JSON.stringify(shownText(loc))}, which is no address`);
    const { hostname, protocol } = url;
    // Only the owner of a connection may name addresses in buckets.
    if (protocol !== 'https:' && protocol !== 'http:') {
      throw refused(`lists ${JSON.stringify(shownText(loc))}, which is no address of the web`);
    }
    if (registeredName(hostname) !== own && !allowHosts.includes(hostname)) {
      throw refused(
        `lists ${shownAddress(url.href)}, which is of another domain; name ${hostname} in allowHosts if it is yours`,
      );
    }
    url.hash = '';
    if (!known.has(url.href)) found.add(url.href);
  }
  return [...found];
}
