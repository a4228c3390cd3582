/** Which hostnames customers may register (decision 24), in the one form in which we keep and compare them. */
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { parse } from 'tldts';
import { invalidField } from '../platform/refusal.ts';

/** Names that are not of the public DNS (RFC 6761, RFC 8375, RFC 9476 and what ICANN reserved for private use). */
const SPECIAL_USE = ['local', 'internal', 'arpa', 'onion', 'test'];
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const MAX_HOSTNAME_LENGTH = 253;

export interface HostnameRules {
  /** Our own names: these and all below them are refused. */
  readonly reserved: readonly string[];
  /** All in one serves them on the same machine. */
  readonly allowLocalhost: boolean;
}

/** The canonical form: lower case, A-labels, no trailing dot. Throws Refusal with field `hostname`. */
export function parseHostname(given: unknown, rules: HostnameRules): string {
  const refuse = (message: string) => invalidField('hostname', given, message);
  if (given === undefined || given === null) throw refuse('is required');
  if (typeof given !== 'string') throw refuse('must be a string');
  if (isIP(given.replace(/^\[|\]$/g, '')) !== 0) throw refuse('must be a name, not an IP address');
  const hostname = canonicalHostname(given);
  if (hostname === undefined || hostname.length > MAX_HOSTNAME_LENGTH) {
    throw refuse('must be a hostname such as sitemaps.example.com');
  }
  const labels = hostname.split('.');
  const top = labels.at(-1)!;
  if (labels.length < 2) throw refuse('must have at least two labels, as in sitemaps.example.com');
  if (!labels.every((label) => LABEL.test(label)) || /^\d+$/.test(top)) {
    throw refuse('must be a hostname: labels of letters, digits and hyphens, of at most 63 characters each');
  }
  if (isBelow(hostname, 'localhost')) {
    if (rules.allowLocalhost) return hostname;
    throw refuse('must be a public hostname');
  }
  if (SPECIAL_USE.includes(top)) throw refuse('must be a public hostname');
  if (rules.reserved.some((name) => isBelow(hostname, name))) throw refuse('is reserved');
  if (parse(hostname, { allowPrivateDomains: true }).domain === null) {
    throw refuse('must not be a public suffix; register a name below it');
  }
  return hostname;
}

/** The form in which hostnames are compared; undefined for what can be none. */
export function canonicalHostname(given: string): string | undefined {
  const name = given.endsWith('.') ? given.slice(0, -1) : given;
  // domainToASCII would also decode %41, strip tabs and read 0x7f.1 as an address.
  if (/[\0-\x7f]/.test(name.replace(/[A-Za-z0-9.-]/g, ''))) return undefined;
  const ascii = domainToASCII(name);
  const isRewritten = /^[\0-\x7f]*$/.test(name) && ascii !== name.toLowerCase();
  // Some characters are mapped to ASCII that stands in no hostname, as U+FE4D is to _.
  return isRewritten || !/^[a-z0-9.-]+$/.test(ascii) ? undefined : ascii;
}

export function isBelow(hostname: string, parent: string): boolean {
  return hostname === parent || hostname.endsWith(`.${parent}`);
}
