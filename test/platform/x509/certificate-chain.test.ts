import { createPublicKey } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ChainError, checkChain, readChain } from '../../../src/platform/x509/certificate-chain.ts';
import { newPrivateKey, readPrivateKey } from '../../../src/platform/x509/certificate-key.ts';
import { createAuthority, issueCertificate } from '../../../src/platform/x509/own-authority.ts';
import { PROPERTY_RUNS } from '../../support/property-runs.ts';

const NOT_BEFORE = new Date('2026-03-01T00:00:00Z');
const NOT_AFTER = new Date('2026-04-01T00:00:00Z');
const NOW = new Date('2026-03-15T00:00:00Z');
const LIFETIME = { notBefore: NOT_BEFORE, notAfter: NOT_AFTER };

const authority = await createAuthority('First', ['test'], LIFETIME);
const other = await createAuthority('First', ['test'], LIFETIME);
const privateKey = readPrivateKey(newPrivateKey());
const leaf = await issueCertificate(authority, {
  hostname: 'maps.shop.test',
  publicKey: createPublicKey(privateKey),
  ...LIFETIME,
});
const pem = leaf + authority.certificate;
const WANTED = { hostname: 'maps.shop.test', privateKey, now: NOW };

/** Pebble's or another's words around and between the certificates. */
const withWords = `Subject: maps\n${leaf}\nevil words\n${authority.certificate}more`;

describe('a chain', () => {
  test('is read, without the words between its certificates', async () => {
    const chain = await readChain(withWords);
    expect(chain.pem).toBe(pem);
    expect(chain).toMatchObject({ notBefore: NOT_BEFORE, notAfter: NOT_AFTER, issuer: 'First' });
    expect(() => checkChain(chain, WANTED)).not.toThrow();
  });

  test('may be the certificate alone', async () => {
    await expect(readChain(leaf)).resolves.toMatchObject({ pem: leaf });
  });

  test.each([
    ['without a certificate', '', 'no certificate'],
    ['with a damaged certificate', pem.replace(/MII.{40}/, ''), 'certificate 1 of the chain is malformed'],
    ['without an end', pem.slice(0, -40), 'certificate 2 of the chain is malformed'],
    ['in the wrong order', authority.certificate + leaf, 'certificate 2 of the chain did not issue'],
    [
      'with an issuer of the same name and another key',
      leaf + other.certificate,
      'did not issue certificate 1',
    ],
    ['with eleven certificates', pem.repeat(6), 'more than 10'],
    ['larger than 64 KiB', pem + ' '.repeat(65_536), 'larger than'],
  ])('%s is refused', async (_, text, why) => {
    const read = readChain(text);
    await expect(read).rejects.toThrow(ChainError);
    await expect(read).rejects.toThrow(why);
  });

  test('with any bytes changed is read or refused, and never fails otherwise', async () => {
    const position = fc.nat(pem.length - 1);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(position, fc.string({ maxLength: 3 })), { minLength: 1 }),
        async (edits) => {
          const text = edits.reduce(
            (all, [at, put]) => all.slice(0, at) + put + all.slice(at + put.length),
            pem,
          );
          await readChain(text).catch((error: unknown) => expect(error).toBeInstanceOf(ChainError));
        },
      ),
      { numRuns: PROPERTY_RUNS },
    );
  });
});

describe('a chain is refused', () => {
  const check = async (changed: Partial<typeof WANTED>, text = pem) =>
    checkChain(await readChain(text), { ...WANTED, ...changed });

  test.each([
    ['for another hostname', { hostname: 'shop.test' }, 'not for shop.test'],
    ['for a hostname below', { hostname: 'a.maps.shop.test' }, 'not for a.maps.shop.test'],
    ['for another key', { privateKey: readPrivateKey(newPrivateKey()) }, 'for another key'],
    ['before it is valid', { now: new Date(NOT_BEFORE.getTime() - 1) }, 'not valid before'],
    ['when it has expired', { now: NOT_AFTER }, 'expired'],
  ])('%s', async (_, changed, why) => {
    await expect(check(changed)).rejects.toThrow(ChainError);
    await expect(check(changed)).rejects.toThrow(why);
  });

  test('if its first certificate is that of an authority', async () => {
    const ca = { privateKey: readPrivateKey(authority.privateKey) };
    await expect(check(ca, authority.certificate)).rejects.toThrow('that of an authority');
  });
});
