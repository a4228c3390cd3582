/** DNS names in their canonical form, in which we store and compare them: lower case, A-labels, no trailing dot. */
import { domainToASCII } from 'node:url';

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/** Matches a hostname. Its last label must not be a number: then the name would be an address (RFC 1123, section 2.1). */
const HOSTNAME = new RegExp(`^(?:${LABEL}\\.)*(?!\\d+$)${LABEL}$`);
const MAX_LENGTH = 253;

/** Converts a hostname to the canonical form. Undefined for text that cannot be a hostname. */
export function canonicalHostname(given: string): string | undefined {
  const name = given.endsWith('.') ? given.slice(0, -1) : given;
  // domainToASCII decodes %41, strips tabs, and reads 0x7f.1 as an address. We accept none of these.
  if (/[\0-\x7f]/.test(name.replace(/[A-Za-z0-9.-]/g, ''))) return undefined;
  const isAscii = /^[\0-\x7f]*$/.test(name);
  // The name may also end with an ideographic full stop. domainToASCII turns this full stop into a dot.
  const ascii = isAscii ? domainToASCII(name) : domainToASCII(name).replace(/\.$/, '');
  const isRewritten = isAscii && ascii !== name.toLowerCase();
  // Some characters map to ASCII that no hostname contains: U+FE4D maps to _.
  return isRewritten || !/^[a-z0-9.-]*[a-z0-9-]$/.test(ascii) ? undefined : ascii;
}

/** Returns whether a canonical name is a valid hostname. */
export function isHostname(name: string): boolean {
  return name.length <= MAX_LENGTH && HOSTNAME.test(name);
}

/** Returns whether a hostname is `parent`, or a name below it. Both are canonical. */
export function isBelow(hostname: string, parent: string): boolean {
  return hostname === parent || hostname.endsWith(`.${parent}`);
}

/** Returns whether a DNS message can hold a name. The name may have any characters, for example underscores. */
export function fitsMessage(name: string): boolean {
  return name.length <= MAX_LENGTH && name.split('.').every(({ length }) => length >= 1 && length <= 63);
}
