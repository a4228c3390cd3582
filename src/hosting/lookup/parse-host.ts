/** From a Host header to the hostname whose site is asked for. */

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';

/** Two labels or more; the last is no number, so an IPv4 address is no hostname (RFC 1123 section 2.1). */
const HOSTNAME = new RegExp(`^(?:${LABEL}\\.)+(?!\\d+$)${LABEL}$`);

/**
 * The hostname in lower case, without port and trailing dot, as in `siteKey`. Undefined for what no site can
 * be called, which costs storage no request. The port is not compared: proxies change it.
 */
export function parseHost(host: string | undefined): string | undefined {
  if (host === undefined) return undefined;
  const hostname = host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
  return hostname.length <= 253 && HOSTNAME.test(hostname) ? hostname : undefined;
}
