import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { AccountKey } from '../../../src/platform/acme/account-key.ts';
import { newAccountKey } from './issue.ts';

const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());

test('a request is signed with ES256, and says its address, nonce and account', async () => {
  const privateKey = newAccountKey();
  const header = { url: 'https://acme.example/order', nonce: 'n', account: 'https://acme.example/account/1' };
  const jws = JSON.parse(await new AccountKey(privateKey).sign({ a: 1 }, header));
  const { account: kid, ...rest } = header;
  expect(decode(jws.protected)).toEqual({ alg: 'ES256', kid, ...rest });
  expect(decode(jws.payload)).toEqual({ a: 1 });
  const key = { key: createPublicKey(privateKey), dsaEncoding: 'ieee-p1363' } as const;
  const signed = Buffer.from(`${jws.protected}.${jws.payload}`);
  expect(verify('sha256', signed, key, Buffer.from(jws.signature, 'base64url'))).toBe(true);
});

test('without an account, it carries the public key and nothing of the private one', async () => {
  const privateKey = newAccountKey();
  const { d, ...jwk } = privateKey.export({ format: 'jwk' });
  const jws = JSON.parse(
    await new AccountKey(privateKey).sign(undefined, { url: 'https://a.example/', nonce: 'n' }),
  );
  expect(decode(jws.protected)).toMatchObject({ jwk });
  expect(decode(jws.protected).jwk).not.toHaveProperty('d');
  expect(jws.payload).toBe('');
  expect(d).toBeDefined();
});

test('a key on another curve is refused', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  expect(() => new AccountKey(privateKey)).toThrow(TypeError);
});
