import { execFileSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newPrivateKey, readPrivateKey } from '../../../src/platform/x509/certificate-key.ts';
import { createSigningRequest } from '../../../src/platform/x509/signing-request.ts';
import { needs } from '../../support/needs.ts';

/** 253 characters, the longest hostname there is. */
const LONGEST = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`;

describe('a signing request', needs('openssl'), () => {
  test.each(['maps.shop.example', 'xn--bcher-kva.example', LONGEST])('is for %s alone', async (hostname) => {
    const privateKey = newPrivateKey();
    const input = await createSigningRequest(hostname, privateKey);
    const openssl = (...args: string[]) =>
      execFileSync('openssl', ['req', '-inform', 'der', '-noout', ...args], {
        input,
        stdio: 'pipe',
      }).toString();
    const text = openssl('-verify', '-text');
    expect(text.match(/DNS:.*/g)).toEqual([`DNS:${hostname}`]);
    expect(text).toMatch(/Subject: *\n/);
    const publicKey = createPublicKey(readPrivateKey(privateKey)).export({ format: 'pem', type: 'spki' });
    expect(openssl('-pubkey')).toBe(publicKey);
  });
});

test('keys differ', () => {
  expect(newPrivateKey().equals(newPrivateKey())).toBe(false);
});
