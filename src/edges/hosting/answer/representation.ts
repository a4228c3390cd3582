/** A representation (RFC 9110 section 3.2): a file in one encoding, with its headers. */
import { hash } from 'node:crypto';
import { validateHeaderValue } from 'node:http';
import { LRUCache } from 'lru-cache';
import { DOMAIN_INDEX_FILE } from '../../../core/sitemap/file-names.ts';
import type { ByteRange } from '../../../platform/storage/object-storage.ts';
import type { Bodies } from '../bodies/bodies.ts';
import type { Client } from '../client.ts';
import type { FileDescription, FoundFile } from '../lookup/found-file.ts';
import { type Body, COMMON_FIELDS, type Fields } from './answer.ts';
import type { Validators } from './preconditions.ts';

export interface Representation extends Validators {
  readonly bytes: number;
  /** The fields of a 304, as RFC 9110 section 15.4.5 allows them. */
  readonly identifyingFields: Fields;
  /** The fields of a 200: `identifyingFields` and the description of the whole file. */
  readonly describingFields: Fields;
  /** The head of a 200, see `Answer`. */
  readonly head: string;
  /** When `Last-Modified` changes, in milliseconds since 1970. Absent: never. */
  readonly settlesAtMs?: number;
  /** Opens `slice` of the `bytes`. `found`: the stored file of this representation, if there is one. */
  open(slice: ByteRange, client: Client, found: FoundFile | undefined): Body | Promise<Body>;
}

/**
 * The form of a file in an answer. Accept-Encoding chooses `gzip` or `identity`. At the path `<file>.xml.gz`, the form is `alias`: the gzip
 * bytes as a file of their own, whatever the client accepts.
 */
export type Variant = 'gzip' | 'identity' | 'alias';

/**
 * Two files of a path may have the same second as their time. After this time, every process shows the later one (RFC 9110 section
 * 8.8.2.2). Until then, `Last-Modified` is a second before both, so no date means two files.
 */
const SETTLING_MS = 60_000;

/** The measured memory of the headers of a file in one encoding. Nearly all files are requested in only one encoding. */
const READY_BYTES = 2_000;

/**
 * Caches the representations of stored files. The keys are the descriptions of files without their bytes, so that the cache does not keep
 * the bytes of small files after their site is evicted.
 */
export class Representations {
  readonly #openXml: Representation['open'];
  readonly #openGzip: Representation['open'];
  readonly #now: () => number;
  readonly #ready: LRUCache<FileDescription, Partial<Record<Variant, Representation>>>;

  /** `now`: milliseconds since 1970. */
  constructor(bodies: Pick<Bodies, 'openXml' | 'openGzip'>, cacheBytes: number, now: () => number) {
    this.#now = now;
    this.#openXml = (slice, client, found) => bodies.openXml(found!, slice, client);
    this.#openGzip = (slice, client, found) => bodies.openGzip(found!, slice, client);
    this.#ready = new LRUCache({ maxSize: cacheBytes, sizeCalculation: () => READY_BYTES });
  }

  /** The memory of all cached representations. */
  get bytes(): number {
    return this.#ready.calculatedSize;
  }

  /**
   * Returns the representation of a file. `contentType`: the media type of the file; `alias` ignores it. All calls for a file must have the
   * same type.
   */
  of(file: FileDescription, variant: Variant, contentType = XML): Representation {
    let variants = this.#ready.get(file);
    if (variants === undefined) {
      variants = {};
      this.#ready.set(file, variants);
    }
    let ready = variants[variant];
    if (ready === undefined || (ready.settlesAtMs !== undefined && this.#now() >= ready.settlesAtMs)) {
      ready = this.#make(file, variant, contentType);
      variants[variant] = ready;
    }
    return ready;
  }

  #make(
    { bytes, gzipBytes, etag, lastModified }: FileDescription,
    variant: Variant,
    contentType: string,
  ): Representation {
    const isXml = variant === 'identity';
    const lastModifiedMs = Date.parse(lastModified);
    const settlesAtMs = lastModifiedMs + SETTLING_MS;
    const now = this.#now();
    return represent({
      lastModifiedMs,
      ...(now < settlesAtMs && { settlesAtMs, shownMs: Math.min(lastModifiedMs, now) - 1_000 }),
      // Each encoding has its own entity tag, because a strong tag names exact bytes (RFC 9110 section 8.8.3.3).
      etag: isXml ? `"${etag}"` : `"${etag}-gz"`,
      bytes: isXml ? bytes : gzipBytes,
      open: isXml ? this.#openXml : this.#openGzip,
      contentType: variant === 'alias' ? 'application/gzip' : contentType,
      isNegotiated: variant !== 'alias',
      ...(variant === 'gzip' && { contentEncoding: 'gzip' }),
    });
  }
}

/** Generates `/robots.txt`, which allows everything and names the sitemap index. */
export function robotsRepresentation(origin: string): Representation {
  const text = Buffer.from(`User-agent: *\nAllow: /\n\nSitemap: ${origin}/${DOMAIN_INDEX_FILE}\n`);
  return represent({
    contentType: 'text/plain; charset=utf-8',
    etag: `"${hash('sha1', text, 'base64url')}"`,
    bytes: text.length,
    open: ({ offset, length }) => text.subarray(offset, offset + length),
  });
}

const XML = 'application/xml; charset=utf-8';
/** The media type of Atom (RFC 4287, section 7). */
export const ATOM = 'application/atom+xml; charset=utf-8';

/**
 * Caches may answer for a minute without asking us. With a longer time, an index may be much older than its parts. With a shorter time, a
 * burst of crawlers reaches us for nothing. When we fail, caches may send an old sitemap (RFC 5861), but only for 10 minutes, because its
 * owner may have deleted it.
 */
const CACHE_CONTROL = 'public, max-age=60, stale-if-error=600';

interface Description extends Validators, Pick<Representation, 'bytes' | 'open' | 'settlesAtMs'> {
  /** The time of the field Last-Modified. Default: `lastModifiedMs`. */
  readonly shownMs?: number;
  readonly contentType: string;
  readonly contentEncoding?: string;
  /** Whether the answer depends on Accept-Encoding. Then caches must keep the encodings apart. */
  readonly isNegotiated?: boolean;
  /** The Cache-Control field. Default: CACHE_CONTROL. */
  readonly cacheControl?: string;
}

export function represent({
  contentType,
  contentEncoding,
  isNegotiated,
  cacheControl = CACHE_CONTROL,
  shownMs,
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
    ...(rest.lastModifiedMs !== undefined && {
      'Last-Modified': new Date(shownMs ?? rest.lastModifiedMs).toUTCString(),
    }),
    'Accept-Ranges': 'bytes',
  };
  return {
    ...rest,
    identifyingFields,
    describingFields: { ...describingFields, 'Content-Length': String(rest.bytes) },
    head: headOf(describingFields),
  };
}

function headOf(fields: Fields): string {
  let head = 'HTTP/1.1 200 OK\r\n';
  for (const [name, value] of Object.entries(fields)) {
    // Node checks the fields of an answer, but not a prepared head. An entity tag comes from the store, so it may have any characters.
    validateHeaderValue(name, value);
    head += `${name}: ${value}\r\n`;
  }
  return head;
}
