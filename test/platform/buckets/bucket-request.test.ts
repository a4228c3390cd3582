/** Signed requests to buckets, against the published examples of AWS Signature Version 4. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BucketStore, isAddressable, signedGet } from '../../../src/platform/buckets/bucket-request.ts';
import { Secret } from '../../../src/platform/secret.ts';

/** The credentials of all examples in "Signature Calculations for the Authorization Header" (Amazon S3 API Reference). */
const EXAMPLE: BucketStore = {
  endpoint: 'https://examplebucket.s3.amazonaws.com',
  region: 'us-east-1',
  accessKeyId: new Secret('AKIAIOSFODNN7EXAMPLE'),
  secretAccessKey: new Secret('wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'),
  sessionToken: null,
};
const AT = new Date('2013-05-24T00:00:00Z');
const signatureOf = ({ headers }: { headers: Readonly<Record<string, string>> }) =>
  /Signature=(\w+)$/.exec(headers.authorization!)?.[1];

describe('the published examples', () => {
  // The examples have the bucket in the host, so the first part of the path stands for it here.
  test('GET Bucket (List Objects)', () => {
    const signed = signedGet(EXAMPLE, { bucket: '' }, AT, { 'max-keys': '2', prefix: 'J' });
    expect(signed.url).toBe('https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J');
    expect(signatureOf(signed)).toBe('34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7');
    expect(signed.headers.authorization).toContain(
      'Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date,',
    );
  });

  test('GET Bucket Lifecycle', () => {
    const signed = signedGet(EXAMPLE, { bucket: '' }, AT, { lifecycle: '' });
    expect(signatureOf(signed)).toBe('fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543');
  });
});

test('a temporary key signs its token', () => {
  const store = { ...EXAMPLE, sessionToken: new Secret('token') };
  const { headers } = signedGet(store, { bucket: 'b', key: 'k' }, AT);
  expect(headers).toMatchObject({ 'x-amz-security-token': 'token' });
  expect(headers.authorization).toContain('x-amz-date;x-amz-security-token');
});

test('the path of any key arrives as it was signed, and leads to this key', () => {
  const store = { ...EXAMPLE, endpoint: 'http://127.0.0.1:9000' };
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }).filter(isAddressable), (key) => {
      const { url } = signedGet(store, { bucket: 'bucket', key }, AT);
      expect(new URL(url).href).toBe(url);
      expect(decodeURIComponent(new URL(url).pathname)).toBe(`/bucket/${key}`);
    }),
  );
});

test.each(['..', '../other/secret', 'a/./b', 'a/../../other', '\ud800', ''])(
  'no address has the key %j',
  (key) => {
    expect(() => signedGet(EXAMPLE, { bucket: 'b', key }, AT)).toThrow(RangeError);
  },
);
