import { expect, test } from 'vitest';
import { createAddressRule, isPublicAddress } from '../../../src/platform/http/public-address.ts';

test.each([
  '8.8.8.8',
  '2606:4700::6810:84e5',
  // 8.8.8.8 in networks with NAT64.
  '64:ff9b::808:808',
  '64:ff9b::8.8.8.8',
])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  ...[
    '127.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '168.63.129.16',
    '100.64.0.1',
    '0.0.0.0',
    '255.255.255.255',
  ],
  ...['::1', 'fe80::1', 'fe80::1%eth0', 'fd00::1', '::ffff:8.8.8.8', '2002:808:808::1', '::8.8.8.8'],
  // The same addresses in networks with NAT64, and the prefix of a network's own NAT64 (RFC 8215).
  ...['64:ff9b::127.0.0.1', '64:ff9b::a00:1', '64:ff9b::169.254.169.254', '64:ff9b::a83f:8110', '64:ff9b::'],
  ...['64:ff9b::ffff:ffff', '64:ff9b:1::808:808', '64:ff9b:0:1::808:808', '64:ff9b::1:808:808'],
  ...['www.example.com', ''],
])('%s is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test('an operator may allow private addresses, and no more than these', () => {
  const isAllowed = createAddressRule(['10.1.0.0/16']);
  expect(['10.1.2.3', '10.2.0.1', '64:ff9b::a01:203', '8.8.8.8'].map((one) => isAllowed(one))).toEqual([
    true,
    false,
    false,
    true,
  ]);
});
