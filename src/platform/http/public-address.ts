/**
 * Which addresses strangers may make us connect to. A private address can be a neighbour of ours that trusts its network:
 * a database, a metadata service, ourselves. So only public unicast addresses pass, and the ranges that the operator names.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { addressRanges } from './client-address.ts';

export type IsAllowedAddress = (address: string) => boolean;

/** All unicast addresses that exist so far (RFC 4291, section 2.5.4). ipaddr.js takes ::127.0.0.1 for unicast too. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];
/** Public by its number, and reachable only inside a cloud: the metadata of Azure. */
const METADATA = '168.63.129.16';

/** `ranges`: as in 10.1.0.0/16. Throws when one of them is no range. */
export function createAddressRule(ranges: readonly string[]): IsAllowedAddress {
  const isInRange = addressRanges(ranges);
  return (address) => isPublicAddress(address) || isInRange(address);
}

/** Addresses that lead on to an IPv4 address (mapped, NAT64, 6to4, Teredo) count as private, whatever they hold. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv6 ? parsed.match(GLOBAL_UNICAST) : address !== METADATA;
}
