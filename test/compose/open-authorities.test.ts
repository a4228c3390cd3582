import { expect, test } from 'vitest';
import { openAuthorities } from '../../src/compose/open-authorities.ts';
import type { DatabaseProcessOptions } from '../../src/compose/open-database.ts';
import { readConfig } from '../../src/core/config/config.ts';
import { KeyRing, newKeyRingText } from '../../src/platform/key-ring.ts';

const DIRECTORY = 'https://acme.example.net/directory';
const open = (given: Record<string, string>) =>
  openAuthorities(
    { config: readConfig({ ACME_DIRECTORY: DIRECTORY, ...given }) } as DatabaseProcessOptions,
    new KeyRing(newKeyRingText()),
  );

test.for([
  ['ACME_ORDERS_PER_3H', 10_000],
  ['ACME_EXTERNAL_ACCOUNTS', { keyId: 'id', hmacKey: 'c2VjcmV0' }],
] as const)('%s names an authority of ACME_DIRECTORY, or the process does not start', ([name, value]) => {
  const named = (url: string) => ({ [name]: JSON.stringify({ [url]: value }) });
  expect(open(named(DIRECTORY))?.issuerFor('www.example.com')).toBeDefined();
  expect(() => open(named(`${DIRECTORY}/`))).toThrow(
    `${name} names ${DIRECTORY}/, which is not in ACME_DIRECTORY.`,
  );
});
