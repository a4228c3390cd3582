/**
 * Limits the names that an authority can issue for (RFC 5280, section 4.2.1.10). We write the bytes by hand, because @peculiar/x509 has no
 * such extension:
 *
 * ```
 * SEQUENCE
 *   [0] permitted   SEQUENCE { [2] DNS name } …   the name itself and everything below it
 *   [1] excluded    SEQUENCE { [7] address and mask }: all IPv4, all IPv6
 * ```
 */
export const NAME_CONSTRAINTS = '2.5.29.30';

const SEQUENCE = 0x30;
const DNS_NAME = 0x82;
const ADDRESS = 0x87;
const PERMITTED = 0xa0;
const EXCLUDED = 0xa1;
/** An address and a mask of zeros match every address. */
const ALL_IPV4 = Buffer.alloc(8);
const ALL_IPV6 = Buffer.alloc(32);

/** Returns the value of the extension. It permits the given names and all names below them, and no addresses. Throws RangeError. */
export function nameConstraints(permitted: readonly string[]): Buffer {
  const names = permitted.map((name) => tagged(SEQUENCE, tagged(DNS_NAME, Buffer.from(name, 'ascii'))));
  const addresses = [ALL_IPV4, ALL_IPV6].map((range) => tagged(SEQUENCE, tagged(ADDRESS, range)));
  return tagged(SEQUENCE, tagged(PERMITTED, ...names), tagged(EXCLUDED, ...addresses));
}

/** Returns a DER element. A length up to 127 takes one byte. We never need more. */
function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  if (content.length > 127) throw new RangeError('the permitted names are too long');
  return Buffer.concat([Buffer.of(tag, content.length), content]);
}
