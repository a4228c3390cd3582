/**
 * Identifies the client of a connection for limits. A client with one IPv6 address has all 2^64 addresses of its /64 (RFC 4291, section
 * 2.5.4), so all addresses of a /64 count as one client. An IPv4-mapped IPv6 address counts as the IPv4 address.
 */
import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The first 64 bits of an IPv6 address: four of its eight parts. */
const NETWORK_PARTS = 4;

/** Returns 192.0.2.1 or 2001:db8:1:2::/64, for example. Returns undefined unless `address` is an IP address. */
export function clientNetwork(address: string | undefined): string | undefined {
  if (address === undefined) return undefined;
  const family = isIP(address);
  // Keep this first: every request from an IPv4 client needs it.
  if (family === 4) return address;
  if (family === 0) return undefined;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.map((part, i) => (i < NETWORK_PARTS ? part : 0));
  return `${new ipaddr.IPv6(network)}/64`;
}

/**
 * Returns a function that returns whether an address is in one of the ranges. `ranges`: addresses and networks, such as 192.0.2.1 and
 * 2001:db8::/32. Throws if a range is malformed.
 */
export function addressRanges(ranges: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', length, ...rest] = range.split('/');
    const family = isIP(network);
    if (family === 0 || rest.length > 0 || /\D|^$/.test(length ?? '0'))
      throw new Error(`not a range: ${range}`);
    const isIPv4 = family === 4;
    list.addSubnet(network, Number(length ?? (isIPv4 ? 32 : 128)), isIPv4 ? 'ipv4' : 'ipv6');
  }
  if (ranges.length === 0) return () => false;
  return (address = '') => {
    const family = isIP(address);
    return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
  };
}
