/**
 * A load: an upload session whose parts we pull from hosts of others (docs/decisions/0068). Each object is a part.
 *
 *   asked ──a process takes it──▶ objects are listed ──▶ read, four at a time ──▶ the session is committed ──▶ ended
 *     └──▶ refused, canceled, or not done within 12 hours ──▶ ended, and nothing is published
 *
 * A lease of 10 s gives a load to one process. If that process dies, another process goes on. An object whose part is stored is not read
 * again.
 */
import { isoSeconds } from '../../../platform/iso-seconds.ts';
import { Refusal, type RefusalCode } from '../../../platform/refusal.ts';
import type { UploadForm } from '../forms/form.ts';
import { isBucketAddress } from './bucket-address.ts';

/** The most addresses in a request. */
export const MAX_SOURCES = 1000;
/** The most objects of a load, including the sitemaps of indexes. Each object is a part of the session. */
export const MAX_OBJECTS = 10_000;
/** The most loads of an account that are under way at once. */
export const MAX_LOADS = 2;
/** The deepest object of a load is a sitemap in an index of an index. */
export const MAX_DEPTH = 3;
/** The longest time from the moment that a process first takes a load until its end. */
export const LOAD_HOURS = 12;

/** The request of the client for a load, without the terms of the session. */
export interface AskedLoad {
  /** Addresses of the web, and of buckets. */
  readonly sources: readonly string[];
  /** The name of the connection for the sources in buckets. Null if no source is in a bucket. */
  readonly connection: string | null;
  /** Whether to read nothing if the live upload has the same list of objects. */
  readonly ifChanged: boolean;
  /** The form of all objects. Null: each object says its form. */
  readonly form: UploadForm | null;
  /** The parameters of a dialect (`forms/dialect.ts`), as in a query. */
  readonly dialect: Readonly<Record<string, unknown>>;
  /** What the load does when an object is missing, or is a page of HTML. */
  readonly onMissing: 'fail' | 'skip';
  /** Hosts of other registrable domains whose sitemaps an index may list. */
  readonly allowHosts: readonly string[];
  readonly ifGeneration: number | null;
  readonly force: boolean;
}

export interface Load {
  /** The id of the load and of its upload. */
  readonly id: string;
  readonly sessionId: string;
  readonly accountId: string;
  readonly domainId: string;
  readonly hostname: string;
  /** Empty for the unnamed sitemap. */
  readonly sitemapName: string;
  readonly asked: AskedLoad;
  readonly keyId: string | null;
  readonly userId: string | null;
  readonly userSessionId: string | null;
  readonly userAgent: string | null;
  /** The schedule that asked for the load, in place of a key or a person. */
  readonly scheduleId: string | null;
}

/** The progress of a load. The process that works on the load records it. */
export interface LoadProgress {
  /** The bytes of all objects so far, as sent. */
  bytes: number;
  /** The bytes of entries, decompressed. */
  inflatedBytes: number;
  urlCount: number;
  retries: number;
  /** An object that is being read. */
  current: string | null;
  /** The time of the next try of an object, in ISO 8601. Null while no object waits for a try. */
  nextTryAt: string | null;
  /** Say what was ignored, left out or completed, each with the address of the first such object. Absent if there are none. */
  warnings?: readonly string[];
}

/** The part of a load that clients see, beside its attempt. */
export interface LoadView {
  /** Whether a schedule asked for the load. */
  readonly isScheduled: boolean;
  readonly isListed: boolean;
  readonly objects: number;
  readonly done: number;
  readonly skipped: number;
  /** The length of all objects, as sent. Null if the length of an object is not known. */
  readonly bytesTotal: number | null;
  readonly progress: LoadProgress | null;
}

export function describeLoad({ isScheduled, isListed, done, skipped, ...load }: LoadView) {
  const { bytes = 0, current = null, retries = 0, nextTryAt = null, warnings = [] } = load.progress ?? {};
  return {
    scheduled: isScheduled,
    objects: { total: isListed ? load.objects : null, done, skipped },
    bytes: { total: isListed ? load.bytesTotal : null, done: bytes },
    current,
    retries,
    nextTryAt: nextTryAt && isoSeconds(new Date(nextTryAt)),
    ...(warnings.length > 0 && { warnings }),
  };
}

export function noSuchLoad(): Refusal {
  return new Refusal('NOT_FOUND', 'There is no such load.');
}

/** Returns the refusal of a load whose source is at fault. */
export function badSource(url: string, problem: string): Refusal {
  const value = shownAddress(url);
  return new Refusal('VALIDATION_ERROR', `sources: ${value} ${problem}`, {
    details: { field: 'sources', value },
  });
}

/** Returns an address without the text of its query, because the query may have a secret signature. */
export function shownAddress(url: string): string {
  if (isBucketAddress(url)) return url;
  const { origin, pathname, search } = new URL(url);
  return `${origin}${pathname}${search === '' ? '' : '?…'}`;
}

/** The codes of refusals for the content of an object. */
const OF_CONTENT: readonly RefusalCode[] = ['BAD_REQUEST', 'VALIDATION_ERROR', 'PAYLOAD_TOO_LARGE'];

/** If an error is about the content of an object, adds the object to its message. Returns any other error as it is. */
export function aboutSource(error: unknown, url: string): unknown {
  if (!(error instanceof Refusal) || !OF_CONTENT.includes(error.code)) return error;
  return new Refusal(
    error.code,
    `${shownAddress(url)}: ${error.message.replace('The request body', 'it')}`,
    error.options,
  );
}
