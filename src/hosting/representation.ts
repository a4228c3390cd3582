/** What a URL gives to one client: a file in one encoding (RFC 9110 section 3.2), and the headers that say so. */
import { hash } from 'node:crypto';
import type { ByteRange } from '../platform/object-storage.ts';
import { DOMAIN_INDEX_FILE } from '../sitemap/file-names.ts';
import type { Encoding } from './accept-encoding.ts';
import type { Body } from './answer.ts';
import { formatHttpDate } from './http-date.ts';
import type { Validators } from './preconditions.ts';
import type { FoundFile, StoredObjects } from './stored-objects.ts';

export interface Representation extends Validators {
  readonly contentType: string;
  readonly contentEncoding?: 'gzip';
  /** Whether Accept-Encoding had a say, so that caches must keep the answers apart. */
  readonly isNegotiated: boolean;
  readonly bytes: number;
  /** Opens `slice` of the `bytes`. */
  open(slice: ByteRange): Promise<Body>;
}

/** A sitemap file in the encoding that was negotiated. */
export function sitemapRepresentation(
  found: FoundFile,
  encoding: Encoding,
  objects: StoredObjects,
): Representation {
  const { bytes, etag, lastModified } = found.file;
  const common = {
    contentType: 'application/xml; charset=utf-8',
    isNegotiated: true,
    lastModifiedMs: Date.parse(lastModified),
  };
  if (encoding === 'identity') {
    return { ...common, etag: `"${etag}"`, bytes, open: (slice) => objects.openInflated(found, slice) };
  }
  return { ...gzipBytesOf(found, objects), ...common, contentEncoding: 'gzip' };
}

/** The alias `<file>.xml.gz`: the stored bytes as a file of their own, whatever the client accepts. */
export function aliasRepresentation(found: FoundFile, objects: StoredObjects): Representation {
  return {
    ...gzipBytesOf(found, objects),
    contentType: 'application/gzip',
    isNegotiated: false,
    lastModifiedMs: Date.parse(found.file.lastModified),
  };
}

function gzipBytesOf(found: FoundFile, objects: StoredObjects) {
  const { etag, gzipBytes } = found.file;
  // An entity tag names bytes, and these are others than the identity's (RFC 9110 section 8.8.3.3).
  return { etag: `"${etag}-gz"`, bytes: gzipBytes, open: (slice: ByteRange) => objects.open(found, slice) };
}

/** `/robots.txt`, which no one uploads: it allows everything and names the index. */
export function robotsRepresentation(origin: string): Representation {
  const text = Buffer.from(`User-agent: *\nAllow: /\n\nSitemap: ${origin}/${DOMAIN_INDEX_FILE}\n`);
  return {
    contentType: 'text/plain; charset=utf-8',
    isNegotiated: false,
    etag: `"${hash('sha1', text, 'base64url')}"`,
    bytes: text.length,
    open: async ({ offset, length }) => text.subarray(offset, offset + length),
  };
}

/**
 * For a minute caches may answer without asking us. Longer, and an index could meet parts that are much newer;
 * shorter, and a burst of crawlers would reach us for nothing. When we fail, an old sitemap beats none (RFC 5861).
 */
const CACHE_CONTROL = 'public, max-age=60, stale-if-error=86400';

/** What identifies the representation: all that RFC 9110 section 15.4.5 lets a 304 say. */
export function identifyingHeaders({ etag, isNegotiated }: Representation): Record<string, string> {
  return {
    ETag: etag,
    'Cache-Control': CACHE_CONTROL,
    ...(isNegotiated && { Vary: 'Accept-Encoding' }),
  };
}

/** And what describes it. */
export function describingHeaders(representation: Representation): Record<string, string> {
  const { contentType, contentEncoding, lastModifiedMs } = representation;
  return {
    ...identifyingHeaders(representation),
    'Content-Type': contentType,
    ...(contentEncoding && { 'Content-Encoding': contentEncoding }),
    ...(lastModifiedMs !== undefined && { 'Last-Modified': formatHttpDate(lastModifiedMs) }),
    'Accept-Ranges': 'bytes',
  };
}
