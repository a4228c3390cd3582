/** Parses the Host header into the hostname of a site. */
import { isHostname } from '../../../platform/dns/dns-name.ts';
import { rememberRecent } from '../../../platform/remember-recent.ts';

const PORT = /:\d*$/;
const FINAL_DOT = /\.$/;

/** The hostnames of recent Host headers. They take 250 kB at most. */
const hostnameOf = rememberRecent(readHostname, { most: 1_000, maxLength: 253 });

/**
 * Returns the hostname in lower case, without port and trailing dot. The port is ignored, because proxies change it. Undefined if no site
 * can have this name, so that the store is not asked.
 */
export function parseHost(host: string | undefined): string | undefined {
  return host === undefined ? undefined : hostnameOf(host);
}

function readHostname(host: string): string | undefined {
  const hostname = host.toLowerCase().replace(PORT, '').replace(FINAL_DOT, '');
  // No site has a hostname of one label.
  return hostname.includes('.') && isHostname(hostname) ? hostname : undefined;
}
