import { expect, test } from 'vitest';
import { addressRanges, clientNetwork } from '../../../src/platform/http/client-address.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ['::1', '::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
])('%s counts as %s', (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});

test.each([undefined, '', 'unknown', '1.2.3', '0x7f.1', '01.2.3.4', 'x'.repeat(300), '192.0.2.7:80'])(
  '%s is not an address',
  (address) => {
    expect(clientNetwork(address)).toBeUndefined();
  },
);

test('ranges hold addresses and networks of both families', () => {
  const isProxy = addressRanges(['10.0.0.0/8', '192.0.2.1', '2001:db8::/32', '::1']);
  for (const inside of ['10.1.2.3', '::ffff:10.1.2.3', '192.0.2.1', '2001:db8:9::1', '::1']) {
    expect(isProxy(inside), inside).toBe(true);
  }
  for (const outside of ['11.0.0.1', '192.0.2.2', '2001:db9::1', '::2', 'x', undefined]) {
    expect(isProxy(outside), outside).toBe(false);
  }
});

test.each(['x', '10.0.0.0/33', '10.0.0/8', '2001:db8::/129', ''])('%j is not a range', (range) => {
  expect(() => addressRanges([range])).toThrow();
});
