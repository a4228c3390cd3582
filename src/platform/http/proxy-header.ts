/**
 * Parses one header of the PROXY protocol (proxy-protocol.txt, section 2):
 *
 *   version 1   PROXY TCP4 <client> <own address> <client's port> <own port>\r\n      also TCP6, or UNKNOWN and any text
 *   version 2   12 bytes of signature · version and command · family · length of the rest (16 bits) · client address …
 */
import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

export interface ProxyHeader {
  /** The length of the header. */
  readonly bytes: number;
  /** The address of the client. Undefined if the connection is the balancer's own, or if its client has no IP address. */
  readonly address: string | undefined;
}

const SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');
const LONGEST_LINE = 107;
const IS_ADDRESS = new Map(Object.entries({ TCP4: isIPv4, TCP6: isIPv6 }));
const LINE_START = Buffer.from('PROXY ');
const FIXED_BYTES = 16;
/** The most bytes after the fixed part. Addresses take at most 216 bytes. Extensions follow, and we skip them. */
const LONGEST_REST = 4096;
const LOCAL = 0x20;
const PROXY = 0x21;
/** The bytes of an address by family, for TCP over IPv4 and over IPv6. A header has two addresses, and two ports of two bytes. */
const ADDRESS_BYTES: Readonly<Record<number, number>> = { 17: 4, 33: 16 };

export function parseProxyHeader(bytes: Buffer): ProxyHeader | 'incomplete' | 'malformed' {
  if (startsLike(bytes, SIGNATURE)) return parseBinary(bytes);
  if (startsLike(bytes, LINE_START)) return parseLine(bytes);
  return 'malformed';
}

/** Returns whether `bytes` begins with `start`, or may begin with it when more bytes have come. */
function startsLike(bytes: Buffer, start: Buffer): boolean {
  const length = Math.min(bytes.length, start.length);
  return bytes.subarray(0, length).equals(start.subarray(0, length));
}

function parseLine(bytes: Buffer): ReturnType<typeof parseProxyHeader> {
  const end = bytes.subarray(0, LONGEST_LINE).indexOf('\r\n');
  if (end === -1) return bytes.length < LONGEST_LINE ? 'incomplete' : 'malformed';
  const [, family, client = '', own = '', ...ports] = bytes.toString('latin1', 0, end).split(' ');
  if (family === 'UNKNOWN') return { bytes: end + 2, address: undefined };
  const isAddress = IS_ADDRESS.get(family ?? '');
  const arePorts =
    ports.length === 2 && ports.every((port) => /^\d{1,5}$/.test(port) && Number(port) <= 65_535);
  if (!isAddress?.(client) || !isAddress(own) || !arePorts) return 'malformed';
  return { bytes: end + 2, address: client };
}

function parseBinary(bytes: Buffer): ReturnType<typeof parseProxyHeader> {
  if (bytes.length < FIXED_BYTES) return 'incomplete';
  const command = bytes[12]!;
  const rest = bytes.readUInt16BE(14);
  if ((command !== LOCAL && command !== PROXY) || rest > LONGEST_REST) return 'malformed';
  const end = FIXED_BYTES + rest;
  const addressBytes = command === PROXY ? ADDRESS_BYTES[bytes[13]!] : undefined;
  if (addressBytes !== undefined && rest < 2 * addressBytes + 4) return 'malformed';
  if (bytes.length < end) return 'incomplete';
  if (addressBytes === undefined) return { bytes: end, address: undefined };
  const address = bytes.subarray(FIXED_BYTES, FIXED_BYTES + addressBytes);
  return { bytes: end, address: ipaddr.fromByteArray([...address]).toString() };
}
