/**
 * Decides to which addresses customers may make us connect. A private address can belong to a host that trusts its network, such as a
 * database, a metadata service or this service. So we allow only public unicast addresses, and ranges that the operator allows.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { addressRanges } from './client-address.ts';

export type IsAllowedAddress = (address: string) => boolean;

/**
 * All global unicast addresses that were assigned so far (RFC 4291, section 2.5.4). We check this range too, because ipaddr.js takes
 * ::127.0.0.1 for unicast.
 */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];
/**
 * The prefix of NAT64 (RFC 6052, section 2.1). In networks of IPv6 alone, resolvers give each host of IPv4 an address with this prefix
 * (DNS64), and a gateway translates it. So such an address is as public as the IPv4 address in its last 32 bits.
 */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96') as [ipaddr.IPv6, number];
const NAT64_BYTES = 12;
/** The metadata service of Azure has a public address, but only hosts inside the cloud reach it. */
const METADATA = '168.63.129.16';

/** `ranges`: private ranges that the operator allows, such as 10.1.0.0/16. Throws if a range is malformed. */
export function createAddressRule(ranges: readonly string[]): IsAllowedAddress {
  const isInRange = addressRanges(ranges);
  return (address) => isPublicAddress(address) || isInRange(address);
}

/**
 * Returns whether the address is public. An IPv6 address that contains an IPv4 address (mapped, 6to4, Teredo) counts as private, unless it is
 * of NAT64.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv6 && parsed.match(NAT64)) {
    return isPublicAddress(ipaddr.fromByteArray(parsed.toByteArray().slice(NAT64_BYTES)).toString());
  }
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv6 ? parsed.match(GLOBAL_UNICAST) : address !== METADATA;
}
