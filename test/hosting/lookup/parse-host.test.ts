import { expect, test } from 'vitest';
import { parseHost } from '../../../src/edges/hosting/lookup/parse-host.ts';

const LONGEST_LABEL = 'a'.repeat(63);

test.each([
  ['maps.example.com', 'maps.example.com'],
  ['MAPS.example.COM:8080', 'maps.example.com'],
  ['maps.example.com.', 'maps.example.com'],
  ['maps.example.com.:443', 'maps.example.com'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['shop.localhost:3001', 'shop.localhost'],
  [`${LONGEST_LABEL}.example`, `${LONGEST_LABEL}.example`],
  ['1.example', '1.example'],
])('%s → %s', (host, hostname) => {
  expect(parseHost(host)).toBe(hostname);
});

test.each([
  undefined,
  '',
  '.',
  'localhost',
  'maps.example.com..',
  '.example.com',
  'a..example.com',
  '127.0.0.1',
  '[::1]:80',
  'a_b.example.com',
  '-a.example.com',
  'a-.example.com',
  '..%2f.example.com',
  'bücher.example',
  `${LONGEST_LABEL}a.example`,
  `${'a.'.repeat(126)}aa`,
])('%s names no site', (host) => {
  expect(parseHost(host)).toBeUndefined();
});
