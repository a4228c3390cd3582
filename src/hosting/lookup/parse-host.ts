/** From a Host header to the hostname whose site is asked for. */
import { isHostname } from '../../platform/dns/dns-name.ts';

/**
 * The hostname in lower case, without port and trailing dot, as in `siteKey`. Undefined for what no site can
 * be called, which costs storage no request. The port is not compared: proxies change it.
 */
export function parseHost(host: string | undefined): string | undefined {
  if (host === undefined) return undefined;
  const hostname = host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
  // No site has a name of one label.
  return hostname.includes('.') && isHostname(hostname) ? hostname : undefined;
}
