/** From a Host header to the hostname of a site. */
import { isHostname } from '../../platform/dns/dns-name.ts';

/**
 * The hostname in lower case, without port and trailing dot, as in `siteKey`. Undefined if no site can have this name:
 * that saves a request to storage. The port is ignored: proxies change it.
 */
export function parseHost(host: string | undefined): string | undefined {
  if (host === undefined) return undefined;
  const hostname = host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
  // No site has a name of one label.
  return hostname.includes('.') && isHostname(hostname) ? hostname : undefined;
}
