import { expect, test } from 'vitest';
import { createIdTokenSeal } from '../../src/edges/dashboard/id-token-seal.ts';
import { Secret } from '../../src/platform/secret.ts';

const seal = createIdTokenSeal(new Secret('s'.repeat(32)));

test('an id token is opened for its own session only, with the same secret', () => {
  const sealed = seal.seal('session_1', 'header.claims.signature');
  expect(sealed).not.toContain('claims');
  expect(seal.open('session_1', sealed)).toBe('header.claims.signature');
  expect(seal.open('session_2', sealed)).toBeUndefined();
  expect(createIdTokenSeal(new Secret('t'.repeat(32))).open('session_1', sealed)).toBeUndefined();
  expect(seal.open('session_1', 'AAAA')).toBeUndefined();
});
