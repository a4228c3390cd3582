/** What a URL gives to one client: a file in one encoding (RFC 9110 section 3.2), and the headers that say so. */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ByteRange } from '../../platform/storage/object-storage.ts';
import { DOMAIN_INDEX_FILE } from '../../sitemap/file-names.ts';
import type { StoredFile } from '../../sites/site.ts';
import type { Bodies } from '../bodies/bodies.ts';
import type { Soon } from '../bodies/soon.ts';
import type { FoundFile } from '../bodies/stored-objects.ts';
import type { Client } from '../client.ts';
import { type Body, COMMON_FIELDS, type Fields } from './answer.ts';
import { formatHttpDate } from './http-date.ts';
import type { Validators } from './preconditions.ts';

export interface Representation extends Validators {
  readonly bytes: number;
  /** What identifies it: all that RFC 9110 section 15.4.5 lets a 304 say. */
  readonly identifyingFields: Fields;
  /** And what describes it, whole. */
  readonly describingFields: Fields;
  /** Opens `slice` of the `bytes`. */
  open(slice: ByteRange, client: Client): Soon<Body>;
}

/**
 * `gzip` and `identity` are what Accept-Encoding chooses between. `alias` is `<file>.xml.gz`: the stored bytes as a
 * file of their own, whatever the client accepts.
 */
export type Variant = 'gzip' | 'identity' | 'alias';

/** So many files have their headers ready, which takes about 1 kB for each. */
const MAX_READY = 20_000;

/** Representations of stored files, which are asked for again and again and never change: each is made once. */
export class Representations {
  readonly #bodies: Bodies;
  readonly #ready = new LRUCache<StoredFile, Partial<Record<Variant, Representation>>>({ max: MAX_READY });

  constructor(bodies: Bodies) {
    this.#bodies = bodies;
  }

  of(found: FoundFile, variant: Variant): Representation {
    let variants = this.#ready.get(found.file);
    if (variants === undefined) {
      variants = {};
      this.#ready.set(found.file, variants);
    }
    variants[variant] ??= this.#make(found, variant);
    return variants[variant];
  }

  #make(found: FoundFile, variant: Variant): Representation {
    const { bytes, gzipBytes, etag } = found.file;
    const common = { lastModifiedMs: Date.parse(found.file.lastModified) };
    if (variant === 'identity') {
      const open: Representation['open'] = (slice, client) => this.#bodies.openXml(found, slice, client);
      return represent({ ...common, etag: `"${etag}"`, bytes, open, ...NEGOTIATED_XML });
    }
    const stored = {
      ...common,
      // An entity tag names bytes, and these are others than the identity's (RFC 9110 section 8.8.3.3).
      etag: `"${etag}-gz"`,
      bytes: gzipBytes,
      open: (slice: ByteRange, client: Client) => this.#bodies.openGzip(found, slice, client),
    };
    if (variant === 'alias') return represent({ ...stored, contentType: 'application/gzip' });
    return represent({ ...stored, ...NEGOTIATED_XML, contentEncoding: 'gzip' });
  }
}

/** `/robots.txt`, which no one uploads: it allows everything and names the index. */
export function robotsRepresentation(origin: string): Representation {
  const text = Buffer.from(`User-agent: *\nAllow: /\n\nSitemap: ${origin}/${DOMAIN_INDEX_FILE}\n`);
  return represent({
    contentType: 'text/plain; charset=utf-8',
    etag: `"${hash('sha1', text, 'base64url')}"`,
    bytes: text.length,
    open: ({ offset, length }) => text.subarray(offset, offset + length),
  });
}

const NEGOTIATED_XML = { contentType: 'application/xml; charset=utf-8', isNegotiated: true };

/**
 * For a minute caches may answer without asking us. Longer, and an index could meet parts that are much newer;
 * shorter, and a burst of crawlers would reach us for nothing. When we fail, an old sitemap beats none (RFC 5861), but
 * not for long: it may be one that was deleted.
 */
const CACHE_CONTROL = 'public, max-age=60, stale-if-error=600';

interface Description extends Validators, Pick<Representation, 'bytes' | 'open'> {
  readonly contentType: string;
  readonly contentEncoding?: string;
  /** Whether Accept-Encoding had a say, so that caches must keep the answers apart. */
  readonly isNegotiated?: boolean;
  /** CACHE_CONTROL if absent. */
  readonly cacheControl?: string;
}

export function represent({
  contentType,
  contentEncoding,
  isNegotiated,
  cacheControl = CACHE_CONTROL,
  ...rest
}: Description): Representation {
  const identifyingFields = {
    ...COMMON_FIELDS,
    ETag: rest.etag,
    'Cache-Control': cacheControl,
    ...(isNegotiated && { Vary: 'Accept-Encoding' }),
  };
  const describingFields = {
    ...identifyingFields,
    'Content-Type': contentType,
    ...(contentEncoding && { 'Content-Encoding': contentEncoding }),
    ...(rest.lastModifiedMs !== undefined && { 'Last-Modified': formatHttpDate(rest.lastModifiedMs) }),
    'Accept-Ranges': 'bytes',
    'Content-Length': String(rest.bytes),
  };
  return { ...rest, identifyingFields, describingFields };
}
