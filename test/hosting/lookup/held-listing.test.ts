import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { CachedListing } from '../../../src/edges/hosting/lookup/cached-listing.ts';
import type { Listing } from '../../../src/features/sites/site.ts';

const GZIP = gzipSync('<urlset/>');

function listed(etag: string, content?: Buffer): Listing['files'][number] {
  const described = {
    bytes: 9,
    gzipBytes: GZIP.length,
    etag,
    lastModified: '2026-01-01T00:00:00Z',
    entries: 1,
  };
  return { ...described, ...(content && { content: content.toString('base64') }) };
}

const heldListing = (files: Listing['files'], uploadId = 'u') =>
  new CachedListing(uploadId, { index: null, files });

test('the bytes of a small file have memory of exactly their size', () => {
  const { content } = heldListing([listed('a', GZIP)]).file(1)!;
  expect(content?.equals(GZIP)).toBe(true);
  expect(content?.buffer.byteLength).toBe(GZIP.length);
});

test('a file has one object, however often it is asked for, so that it is prepared once', () => {
  const listing = heldListing([listed('a', GZIP), listed('b')]);
  for (const n of [1, 2]) expect(listing.file(n)).toBe(listing.file(n));
  expect(listing.file(3)).toBeUndefined();
});

test('a listing equals one with the same files, byte for byte', () => {
  const listing = heldListing([listed('a', GZIP), listed('b')]);
  expect(heldListing([listed('a', GZIP), listed('b')]).equals(listing)).toBe(true);
  const other = Buffer.from(GZIP);
  other[5]! ^= 1;
  for (const differs of [
    heldListing([listed('a', other), listed('b')]),
    heldListing([listed('a', GZIP), listed('c')]),
    heldListing([listed('a', GZIP)]),
    heldListing([listed('a', GZIP), { ...listed('b'), uploadId: 'v' }]),
    heldListing([listed('a', GZIP), listed('b')], 'v'),
    heldListing([listed('a', GZIP.subarray(1)), listed('b')]),
    heldListing([listed('a'), listed('b')]),
  ]) {
    expect(differs.equals(listing)).toBe(false);
    expect(listing.equals(differs)).toBe(false);
  }
});
