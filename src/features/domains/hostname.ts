/** Decides which hostnames customers may register (spec D24). */
import { isIP } from 'node:net';
import { domainToUnicode } from 'node:url';
import { parse } from 'tldts';
import { z } from 'zod';
import { canonicalHostname, isBelow, isHostname } from '../../platform/dns/dns-name.ts';
import { invalidField } from '../../platform/refusal.ts';

/**
 * Top-level names outside the public DNS, by RFC 6761, 6762, 7686, 8375 and 9476, and those that ICANN keeps for
 * private use.
 */
const SPECIAL_USE = [
  'alt',
  'arpa',
  'corp',
  'example',
  'internal',
  'invalid',
  'lan',
  'local',
  'localhost',
  'onion',
  'test',
];

/** The special-use names that the program `all-in-one` accepts, for trials. They do not resolve in the public DNS. */
export const TRIAL_NAMES: readonly string[] = ['localhost', 'test', 'example'];

export interface HostnameRules {
  /** Our own names, in canonical form. They and all names below them are refused. */
  readonly reserved: readonly string[];
  /** Special-use names below which customers may register hostnames nevertheless. */
  readonly trialNames: readonly string[];
}

export const hostnameSchema = z.string('must be a string').meta({ format: 'idn-hostname' });

/** Returns the canonical form: lower case, A-labels, no trailing dot. Throws Refusal with field `hostname`. */
export function parseHostname(given: unknown, rules: HostnameRules): string {
  const refuse = (message: string) => invalidField('hostname', given, message);
  if (given === undefined || given === null) throw refuse('is required');
  const text = hostnameSchema.safeParse(given);
  if (!text.success) throw refuse(text.error.issues[0]!.message);
  if (isIP(text.data.replace(/^\[|\]$/g, '')) !== 0) throw refuse('must be a name, not an IP address');
  const hostname = canonicalHostname(text.data);
  if (hostname === undefined) throw refuse('must be a hostname such as sitemaps.example.com');
  const labels = hostname.split('.');
  const top = labels.at(-1)!;
  if (labels.length < 2) throw refuse('must have at least two labels, as in sitemaps.example.com');
  if (!isHostname(hostname)) {
    throw refuse(
      'must be a hostname of at most 253 characters, with labels of at most 63 letters, digits and hyphens',
    );
  }
  // domainToUnicode leaves a label that is no valid A-label as it is (RFC 5890, section 2.3.2.1). No registry,
  // authority or browser knows such a name.
  const fake = domainToUnicode(hostname)
    .split('.')
    .find((label) => label.startsWith('xn--'));
  if (fake !== undefined) throw refuse(`must not have the label ${fake}: it is no valid Punycode`);
  // No top-level domain has only one character.
  if (top.length < 2) throw refuse('must end in a top-level domain, as in sitemaps.example.com');
  if (SPECIAL_USE.includes(top) && !rules.trialNames.includes(top)) throw refuse('must be a public hostname');
  if (rules.reserved.some((name) => isBelow(hostname, name))) throw refuse('is reserved');
  if (parse(hostname, { allowPrivateDomains: true }).domain === null) {
    throw refuse('must not be a public suffix; register a name below it');
  }
  return hostname;
}
