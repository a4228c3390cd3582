/**
 * URLs of entries: which URLs we refuse, and how we write the others as URIs of RFC 3986.
 * `new URL()` cannot decide this: it trims, deletes tabs, accepts `https:x.com` and rewrites paths.
 */
import { hasAtMostCodePoints } from '../../platform/code-points.ts';
import { MAX_URL_LENGTH, MIN_LOC_LENGTH } from './limits.ts';
import { isXmlText } from './xml-text.ts';

// The characters that RFC 3986 allows in path, query and fragment, without escapes.
const PLAIN = String.raw`[\w\-.~!$&'()*+,;=:@/?]*`;
const PLAIN_AND_ESCAPED = `${PLAIN}(?:%[\\da-f]{2}${PLAIN})*`;

// Nearly every URL has this form, and needs no change and no further check. Its host has few short labels, ends in letters and has no
// A-label, so no parser rewrites the host. (kernels/sitemap/origins.ts repeats most of these rules.)
const ORDINARY_URL = new RegExp(
  String.raw`^https?://(?:(?!xn--)[\w-]{1,40}\.){1,4}[a-z]{2,40}(?::\d{1,4})?` +
    `(?:[/?]${PLAIN_AND_ESCAPED})?(?:#${PLAIN_AND_ESCAPED})?$`,
  'i',
);

const PARTS = /^(https?:\/\/)([^/?#]*)([^#]*)(?:#(.*))?$/is;
const HOST_AND_PORT = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/;
// There is no `i` flag, because `i` together with `u` matches U+017F and U+212A as ASCII letters.
const TO_BE_ENCODED = /%(?![\dA-Fa-f]{2})|[^\w\-.~!$&'()*+,;=:@/?%]/gu;
const CONTROL_CHARACTER = /\p{Cc}/u;
const MAX_PORT = 65_535;
const TOO_LONG = `must be at most ${MAX_URL_LENGTH} characters long, percent-encoding included`;

/**
 * Returns the URL as we write it, or its problem. Changes only characters that RFC 3986 does not allow: those of the host become A-labels,
 * and all others become escapes of their UTF-8. There are two exceptions. An empty port loses its colon, because the XSD's anyURI refuses an
 * empty port, and the URL means the same without the colon. A URL that has no path and is shorter than MIN_LOC_LENGTH gets a slash.
 */
export function normaliseUrl(given: string): { url: string } | { problem: string } {
  if (given.length >= MIN_LOC_LENGTH && given.length <= MAX_URL_LENGTH && ORDINARY_URL.test(given)) {
    return { url: given };
  }
  if (!hasAtMostCodePoints(given, MAX_URL_LENGTH)) return { problem: TOO_LONG };
  if (!isXmlText(given) || CONTROL_CHARACTER.test(given)) {
    return { problem: 'must not contain control characters or characters that XML forbids' };
  }
  // Files that were joined have such marks in the middle. For `trim` they are white space.
  if (given.startsWith('\ufeff'))
    return { problem: 'must not begin with a byte order mark, which nobody sees' };
  if (given.trim() !== given) return { problem: 'must not begin or end with white space' };
  const [, scheme, authority, pathAndQuery, fragment] = PARTS.exec(given) ?? [];
  if (scheme === undefined || authority === undefined || pathAndQuery === undefined) {
    return { problem: 'must be an absolute URL that starts with http:// or https://' };
  }
  const verdict = normaliseAuthority(authority);
  if ('problem' in verdict) return verdict;

  const origin = scheme + verdict.authority;
  const rest = encode(pathAndQuery) + (fragment === undefined ? '' : `#${encode(fragment)}`);
  const needsSlash = origin.length + rest.length < MIN_LOC_LENGTH && !pathAndQuery.startsWith('/');
  const url = origin + (needsSlash ? '/' : '') + rest;
  return url.length <= MAX_URL_LENGTH ? { url } : { problem: TOO_LONG };
}

/** Returns the scheme, host and port as we write them. Returns undefined if no URL of an entry may begin with them. */
export function normaliseOrigin(given: string): string | undefined {
  const verdict = normaliseUrl(`${given}/`);
  return 'url' in verdict ? verdict.url.slice(0, -1) : undefined;
}

function normaliseAuthority(given: string): { authority: string } | { problem: string } {
  if (given.includes('@')) return { problem: 'must not contain a user name or password' };
  const [, givenHost, port] = HOST_AND_PORT.exec(given) ?? [];
  if (givenHost === undefined || Number(port ?? 0) > MAX_PORT) {
    return { problem: `must have a port from 0 to ${MAX_PORT}, or none` };
  }
  const verdict = normaliseHost(givenHost);
  if ('problem' in verdict) return verdict;
  return { authority: port ? `${verdict.host}:${port}` : verdict.host };
}

function encode(text: string): string {
  return text.replace(TO_BE_ENCODED, encodeURIComponent);
}

type HostVerdict = { host: string } | { problem: string };

// The characters of a reg-name (RFC 3986) without `%` and `*`. WHATWG parsers decode an escape in a host, so a host with `%` is another host.
const ASCII_HOST_CHARACTERS = /^[\w\-.~!$&'()+,;=]*$/;
const IPV4 = /^[\d.]+$/;
const MAX_LABEL_LENGTH = 63;
const MAX_HOST_LENGTH = 253;

/**
 * Checks a host by RFC 3986 and by DNS, and writes an internationalised one in A-labels. Takes a host without `/ ? # @`, and without `:`
 * outside brackets. An ASCII host stays as given, letter case included. One trailing dot (the root of DNS) does not count as an empty label.
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
