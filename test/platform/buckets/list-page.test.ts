/** Pages of lists as stores write them, and as they should not. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { create } from 'xmlbuilder2';
import { bucketFailure } from '../../../src/platform/buckets/bucket-failure.ts';
import { type ListPage, readListPage } from '../../../src/platform/buckets/list-page.ts';

/** From the API reference of ListObjectsV2. */
const PAGE = `<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
    <Name>bucket</Name><Prefix/><NextContinuationToken>1ueGcxLPRx1Tr/XYExHnhbYLgveDs2J/wm36Hy4vbOwM=</NextContinuationToken>
    <KeyCount>1</KeyCount><MaxKeys>1</MaxKeys><IsTruncated>true</IsTruncated>
    <Contents><Key>my-image.jpg</Key><LastModified>2009-10-12T17:50:30.000Z</LastModified>
      <ETag>&quot;fba9dede5f27731c9771645a39863328&quot;</ETag><Size>434234</Size><StorageClass>STANDARD</StorageClass>
      <Owner><ID>x</ID><DisplayName>Key</DisplayName></Owner></Contents>
</ListBucketResult>`;

const listOf = (contents: string, more = '') =>
  `<ListBucketResult><EncodingType>url</EncodingType>${more}${contents}</ListBucketResult>`;
const objectOf = (key: string, size = '1') => `<Contents><Key>${key}</Key><Size>${size}</Size></Contents>`;

/** Reads a page in chunks of `size` bytes. */
function readPage(xml: string, size = 65_536): Promise<ListPage> {
  const bytes = Buffer.from(xml);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  return readListPage(chunks());
}

test('a page as the API reference shows it', async () => {
  expect(await readPage(PAGE)).toEqual({
    objects: [{ key: 'my-image.jpg', etag: '"fba9dede5f27731c9771645a39863328"', bytes: 434_234 }],
    next: '1ueGcxLPRx1Tr/XYExHnhbYLgveDs2J/wm36Hy4vbOwM=',
  });
});

test('any key comes back, encoded or not, in any chunks', async () => {
  const key = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('\0'));
  await fc.assert(
    fc.asyncProperty(key, fc.integer({ min: 1, max: 300 }), async (name, size) => {
      const xml = listOf(objectOf(encodeURIComponent(name)));
      expect((await readPage(xml, size)).objects[0]!.key).toBe(name);
    }),
  );
  const plain = create({ ListBucketResult: { Contents: { Key: 'a%20b+c&d<e>', Size: 1 } } }).end();
  expect((await readPage(plain)).objects[0]!.key).toBe('a%20b+c&d<e>');
  expect((await readPage(listOf(objectOf('a+b%2Bc')))).objects[0]!.key).toBe('a b+c');
});

describe('what is refused', () => {
  test.each<[string, string, string]>([
    ['no XML', 'keys: a, b', 'not well-formed XML'],
    ['a page of HTML', '<html></html>', 'answers no list'],
    ['an entity of its own', '<!DOCTYPE a [<!ENTITY b "c">]><ListBucketResult>&b;</ListBucketResult>', 'XML'],
    ['half a list', PAGE.slice(0, -20), 'not well-formed XML'],
    ['pages without a token', listOf('', '<IsTruncated>true</IsTruncated>'), 'lacks ListObjectsV2'],
    ['an object without its size', listOf(objectOf('a', '')), 'without its size'],
    ['an object of a negative size', listOf(objectOf('a', '-1')), 'without its size'],
    ['an object without a key', listOf(objectOf('')), 'no text'],
    ['a key with NUL', listOf(objectOf('a%00b')), 'no text'],
    ['a key that is not UTF-8', listOf(objectOf('a%FFb')), 'not encoded'],
    [
      '1,001 keys in a page',
      listOf(Array.from({ length: 1001 }, (_, i) => objectOf(`${i}`)).join('')),
      '1000',
    ],
    ['an endless key', listOf(objectOf('a'.repeat(5000))), 'too long'],
    ['elements in elements', listOf('<a>'.repeat(40)), 'nested too deep'],
    [
      'very many attributes',
      listOf(`<a ${Array.from({ length: 1001 }, (_, i) => `a${i}=""`).join(' ')}/>`),
      'attributes',
    ],
  ])('%s', async (_, xml, problem) => {
    await expect(readPage(xml)).rejects.toThrow(new RegExp(`${problem}`));
    await expect(readPage(xml)).rejects.toThrow(RangeError);
  });
});

test('other work goes on while a page without end is read', async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await readPage(listOf('<a/>'.repeat(200_000)), 10_000);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(10);
});

test('a key keeps none of the page around it in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const used = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const tag = '<ETag>"d41d8cd98f00b204e9800998ecf8427e"</ETag>';
  const content = `<Contents><Key>exports/part.csv</Key>${tag}<Size>1</Size></Contents>`;
  const page = listOf('').replace(
    '<EncodingType>url</EncodingType>',
    `${content}<a>${'.'.repeat(4000)}</a>`.repeat(900),
  );
  const before = used();
  const lists = [];
  for (let i = 0; i < 5; i++) lists.push(await readPage(page));
  expect(lists[4]!.objects).toHaveLength(900);
  expect(used() - before).toBeLessThan(page.length);
});

test('a refusal is worded with its cure, and never with the words of the store', () => {
  const error = (code: string, more = '') =>
    `<?xml version="1.0"?><Error><Code>${code}</Code><Message>secret AKIA</Message>${more}</Error>`;
  expect(bucketFailure(403, error('InvalidObjectState'), undefined)).toEqual({
    code: 'InvalidObjectState',
    cure: 'it is archived; restore it, or copy it to a storage class that is read at once',
  });
  const region = '<Region>eu-west-1</Region>';
  for (const answer of [
    bucketFailure(301, error('PermanentRedirect'), 'eu-west-1'),
    bucketFailure(400, error('AuthorizationHeaderMalformed', region), undefined),
  ]) {
    expect(answer.cure).toBe(
      'the bucket is in the region eu-west-1; set it, and its endpoint, in the connection',
    );
  }
  expect(bucketFailure(301, error('PermanentRedirect'), '<script>').cure).toContain('another region');
  expect(bucketFailure(403, error('<b>'), undefined)).toEqual({ code: undefined, cure: undefined });
  expect(bucketFailure(400, error('NewCode'), undefined)).toEqual({ code: 'NewCode', cure: undefined });
});
