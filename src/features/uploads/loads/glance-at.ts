/** Looks at a source of a load: whether it is an object or lists other objects. Reads the whole body only of a list. */
import type { BucketObject } from '../../../platform/buckets/list-page.ts';
import { bucketAddress, hasWildcards } from './bucket-address.ts';
import { listBucket, openSource, type SourceReader, type SourceWatch } from './open-source.ts';
import { readIndex, readSitemapLines } from './read-index.ts';
import { indexInBucket, SourceFailure } from './source-failure.ts';

export type Glanced =
  | { readonly kind: 'object'; readonly etag: string | null; readonly bytes: number | null }
  /** `url`: the address that answered. */
  | { readonly kind: 'index' | 'robots'; readonly url: string; readonly locs: readonly string[] }
  | { readonly kind: 'bucket'; readonly bucket: string; readonly found: readonly BucketObject[] };

/** Throws SourceFailure and Refusal. */
export async function glanceAt(reader: SourceReader, url: string, watch: SourceWatch): Promise<Glanced> {
  const inBucket = bucketAddress(url);
  if (inBucket !== undefined && hasWildcards(inBucket)) {
    const found = await listBucket(reader, inBucket, watch);
    if (found.length === 0) throw new SourceFailure('missing', 'means no object');
    return { kind: 'bucket', bucket: inBucket.bucket, found };
  }
  await using source = await openSource(reader, url, null, watch);
  const { etag, bytes, body } = source;
  if (inBucket === undefined && new URL(url).pathname === '/robots.txt') {
    return { kind: 'robots', url: source.url, locs: await readSitemapLines(body) };
  }
  if (source.kind === 'html') throw new SourceFailure('missing', 'is a page of HTML');
  if (source.kind !== 'index') return { kind: 'object', etag, bytes };
  if (inBucket !== undefined) throw indexInBucket();
  return { kind: 'index', url: source.url, locs: await readIndex(body) };
}
