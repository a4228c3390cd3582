/** Buckets of a real store: lists in pages, odd keys, ranges, and refusals, with requests that it checks the signatures of. */
import { text } from 'node:stream/consumers';
import { Client } from 'minio';
import { afterAll, describe, expect, test } from 'vitest';
import { BucketDoor } from '../../../src/features/uploads/loads/bucket-door.ts';
import { createReadOutside } from '../../../src/platform/http/read-outside.ts';
import { Secret } from '../../../src/platform/secret.ts';
import { findS3Store } from '../../../tools/s3-store.ts';
import { needs } from '../../support/needs.ts';

const store = await findS3Store();
afterAll(() => store?.[Symbol.asyncDispose]());

const LIMITS = { headMs: 30_000, idleMs: 30_000, bytesPerSecond: 1, maxBytes: 1e9 };
const asked = { kind: 'load', limits: LIMITS, signal: new AbortController().signal } as const;
const ODD = [
  'a b+c%20.txt',
  'd?e#f&g=h.txt',
  "i'(j)!*~.txt",
  'ü/😀.txt',
  '<k>&amp;"l".txt',
  '\\m.txt',
  'n//o.txt',
  'p\nq.txt',
];

describe('buckets of a real store', needs('an S3 store'), () => {
  const open = () => {
    const { endpoint, region, bucket, accessKey, secretKey } = store!.options;
    const url = new URL(endpoint);
    const client = new Client({
      ...{ endPoint: url.hostname, port: Number(url.port), useSSL: url.protocol === 'https:', region },
      ...{ accessKey: accessKey.reveal(), secretKey: secretKey.reveal() },
    });
    const reached = { endpoint, region, buckets: [bucket, 'no-such-bucket'], sessionToken: null };
    const keys = { accessKeyId: accessKey, secretAccessKey: secretKey };
    const read = createReadOutside({ allowedRanges: ['127.0.0.0/8'] });
    const doorOf = (more: object = {}) =>
      new BucketDoor(read, { ...reached, ...keys, ...more }, () => new Date());
    const list = (key: string) => doorOf().list({ bucket, key }, asked, { until: (ask) => ask() });
    const get = (key: string, headers = {}) =>
      doorOf().read({ ...asked, headers, redirects: 3, url: `s3://${bucket}/${key}` });
    return { client, bucket, doorOf, list, get };
  };

  test('odd keys are listed by their bytes, and each leads to its object', async () => {
    const { client, bucket, list, get } = open();
    for (const key of ODD) await client.putObject(bucket, `odd/${key}`, key);
    const listed = await list('odd/**');
    const names = listed.map(({ key }) => key);
    expect(names).toEqual(
      ODD.map((key) => `odd/${key}`).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
    for (const { key, etag, bytes } of listed) {
      const answer = await get(key, { 'If-Match': etag! });
      expect(`odd/${await text(answer.body)}`).toBe(key);
      expect(Number(answer.headers['content-length'])).toBe(bytes);
    }
  });

  test('a list has pages', async () => {
    const { client, bucket, list } = open();
    const keys = Array.from({ length: 1100 }, (_, i) => `pages/${String(i).padStart(4, '0')}.txt`);
    for (let i = 0; i < keys.length; i += 50) {
      await Promise.all(keys.slice(i, i + 50).map((key) => client.putObject(bucket, key, 'x')));
    }
    await client.putObject(bucket, 'pages/_SUCCESS', '');
    expect((await list('pages/*.txt')).map(({ key }) => key)).toEqual(keys);
  });

  test('an object goes on where it was, and only while it is the same', async () => {
    const { client, bucket, list, get } = open();
    await client.putObject(bucket, 'range.txt', 'abcdef');
    const etag = (await list('range.txt'))[0]!.etag!;
    const rest = await get('range.txt', { 'If-Match': etag, Range: 'bytes=2-' });
    expect({ status: rest.status, text: await text(rest.body) }).toEqual({ status: 206, text: 'cdef' });
    await client.putObject(bucket, 'range.txt', 'other!');
    const changed = await get('range.txt', { 'If-Match': etag });
    changed.end();
    expect(changed.status).toBe(412);
  });

  test.each<[string, object, string, RegExp]>([
    [
      'a wrong secret',
      { secretAccessKey: new Secret('wrong') },
      '',
      /403 SignatureDoesNotMatch: the secret key/,
    ],
    [
      'an unknown key',
      { accessKeyId: new Secret('nobody') },
      '',
      /403 InvalidAccessKeyId: the endpoint does not know/,
    ],
    ['no such key', {}, '', /404 NoSuchKey/],
    ['no such bucket', {}, 'no-such-bucket', /404 NoSuchBucket: the endpoint has no such bucket/],
  ])('%s is said with its cure', async (_, more, other, message) => {
    const { bucket, doorOf } = open();
    const url = `s3://${other || bucket}/nothing.txt`;
    await expect(doorOf(more).read({ ...asked, redirects: 0, url })).rejects.toThrow(message);
  });
});
