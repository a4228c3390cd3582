import { describe, expect, test } from 'vitest';
import { parseProxyHeader } from '../../../src/platform/http/proxy-header.ts';

const parse = (text: string) => parseProxyHeader(Buffer.from(text, 'latin1'));

const SIGNATURE = '0d0a0d0a000d0a515549540a';
const binary = (hex: string) => parseProxyHeader(Buffer.from((SIGNATURE + hex).replaceAll(' ', ''), 'hex'));

describe('version 1', () => {
  test.each([
    ['PROXY TCP4 192.0.2.1 198.51.100.7 56324 443\r\n', '192.0.2.1'],
    ['PROXY TCP6 2001:db8::1 2001:db8::2 65535 0\r\n', '2001:db8::1'],
    ['PROXY UNKNOWN\r\n', undefined],
    ['PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n', undefined],
  ])('%j', (line, address) => {
    expect(parse(`${line}GET /`)).toEqual({ bytes: line.length, address });
    for (let end = 0; end < line.length; end++) expect(parse(line.slice(0, end))).toBe('incomplete');
  });

  test.each([
    'GET / HTTP/1.1\r\n',
    'proxy TCP4 192.0.2.1 198.51.100.7 1 2\r\n',
    'PROXY TCP4 192.0.2.1 198.51.100.7 1\r\n',
    'PROXY TCP4 192.0.2.1 198.51.100.7 1 2 3\r\n',
    'PROXY TCP4 2001:db8::1 2001:db8::2 1 2\r\n',
    'PROXY TCP6 192.0.2.1 198.51.100.7 1 2\r\n',
    'PROXY TCP4 192.0.2.256 198.51.100.7 1 2\r\n',
    'PROXY TCP4 192.0.2.1 198.51.100.7 -1 2\r\n',
    'PROXY TCP4 192.0.2.1 198.51.100.7 65536 2\r\n',
    'PROXY  TCP4 192.0.2.1 198.51.100.7 1 2\r\n',
    'PROXY UDP4 192.0.2.1 198.51.100.7 1 2\r\n',
    'PROXY constructor 192.0.2.1 198.51.100.7 1 2\r\n',
    'PROXY \r\n',
    `PROXY UNKNOWN ${'x'.repeat(100)}\r\n`,
  ])('%j is malformed', (text) => expect(parse(text)).toBe('malformed'));
});

describe('version 2', () => {
  const V4 = '21 11 000c c0000201 c6336407 dc04 01bb';
  const V6 = `21 21 0024 20010db8000000000000000000000001 20010db8000000000000000000000002 0001 0002`;

  test.each([
    ['TCP over IPv4', V4, 28, '192.0.2.1'],
    ['TCP over IPv6', V6, 52, '2001:db8::1'],
    ['with extensions', `21 11 0010 c0000201 c6336407 dc04 01bb 04000100`, 32, '192.0.2.1'],
    ['of the balancer itself', '20 00 0000', 16, undefined],
    ['of the balancer itself, with addresses', V4.replace('21', '20'), 28, undefined],
    ['over a Unix socket', `21 31 0004 00000000`, 20, undefined],
  ])('%s', (_, hex, bytes, address) => {
    expect(binary(`${hex} 474554`)).toEqual({ bytes, address });
    const whole = Buffer.from((SIGNATURE + hex).replaceAll(' ', ''), 'hex');
    for (let end = 0; end < bytes; end++) {
      expect(parseProxyHeader(whole.subarray(0, end))).toBe('incomplete');
    }
  });

  test.each([
    ['another version', '11 11 000c c0000201 c6336407 dc04 01bb'],
    ['another command', '22 11 000c c0000201 c6336407 dc04 01bb'],
    ['addresses that are too short', '21 11 000b c0000201 c6336407 dc04 01'],
    ['IPv6 in the room of IPv4', '21 21 000c c0000201 c6336407 dc04 01bb'],
    ['a length beyond reason', '21 11 ffff c0000201'],
  ])('%s is malformed', (_, hex) => expect(binary(hex)).toBe('malformed'));

  test('a wrong signature is malformed at its first wrong byte', () => {
    expect(parseProxyHeader(Buffer.from('0d0a0d0b', 'hex'))).toBe('malformed');
  });
});
