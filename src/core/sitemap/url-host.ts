/** The host of a URL: checked by RFC 3986 and by DNS. An internationalised host is written in A-labels. */

type HostVerdict = { host: string } | { problem: string };

// The characters of a reg-name (RFC 3986) without `%` and `*`. WHATWG parsers decode an escape in a host, so a host with `%` is another host.
const ASCII_HOST_CHARACTERS = /^[\w\-.~!$&'()+,;=]*$/;
const IPV4 = /^[\d.]+$/;
const MAX_LABEL_LENGTH = 63;
const MAX_HOST_LENGTH = 253;

/**
 * Takes a host without `/ ? # @`, and without `:` outside brackets. An ASCII host stays as given, letter case
 * included. One trailing dot (the root of DNS) does not count as an empty label.
 */
export function normaliseHost(given: string): HostVerdict {
  if (given === '') return { problem: 'must have a host after "http://" or "https://"' };
  // A zone id needs a `%`, and URL.canParse refuses it inside brackets. An address keeps its spelling.
  if (given.startsWith('[')) {
    return URL.canParse(`http://${given}/`) ? { host: given } : { problem: 'must have a valid IPv6 address' };
  }
  const ascii = given.replace(/\P{ASCII}/gu, '');
  if (!ASCII_HOST_CHARACTERS.test(ascii)) {
    return { problem: 'must have a host without blanks, "*", "%" or other special characters' };
  }
  return ascii === given ? judgeAsciiHost(given) : judgeInternationalHost(given);
}

function judgeAsciiHost(host: string): HostVerdict {
  const name = host.endsWith('.') ? host.slice(0, -1) : host;
  const labels = name.split('.');
  if (labels.includes('')) return { problem: 'must have a host without empty labels' };
  if (name.length > MAX_HOST_LENGTH || labels.some((label) => label.length > MAX_LABEL_LENGTH)) {
    return { problem: 'must have a host of at most 253 characters with labels of at most 63' };
  }
  // WHATWG parsers rewrite `1.2.3` and `0x7f.1` to IPv4 addresses. An invalid A-label gives no host at all.
  if (whatwgHost(host) !== host.toLowerCase()) {
    return { problem: 'must have a host name or an IP address in its ordinary form' };
  }
  return { host };
}

function judgeInternationalHost(given: string): HostVerdict {
  const host = whatwgHost(given);
  // Full-width digits and dots map to an IPv4 address, which the client did not mean.
  if (host === undefined || IPV4.test(host))
    return { problem: 'must have a valid internationalised host name' };
  return judgeAsciiHost(host);
}

function whatwgHost(host: string): string | undefined {
  return URL.parse(`http://${host}/`)?.hostname;
}
