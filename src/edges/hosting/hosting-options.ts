/** The options of a hosting server, and its limits with their reasons. */
import type { KeyRing } from '../../platform/key-ring.ts';
import type { ObjectReader } from '../../platform/storage/object-storage.ts';
import type { CrawlCounts } from './crawl-counts.ts';
import type { HostingCounts } from './hosting-counts.ts';

export interface HostingLimits {
  /** The time for which a `site.json` is fresh, in ms. A publish must be visible within 2 s. */
  readonly siteFreshMs: number;
  /** The size of the cache of files, listings and prepared headers. */
  readonly cacheBytes: number;
  /** The size of the cache of sites with their small files. The cache is separate, so that a crawl of many files evicts no site. */
  readonly siteCacheBytes: number;
  /** The size of the cache of certificates, native memory included. */
  readonly certificateCacheBytes: number;
  /** The most gzip bytes of a cached file. A larger file is read in pieces. */
  readonly maxCachedFileBytes: number;
  /**
   * The deadline for opening an object in the store. After it, reading the object, or each piece of a large one, has as much time again.
   */
  readonly storageTimeoutMs: number;
  /** The most look-ups of unknown hosts in a second that find no site (`look-up-budget.ts`). */
  readonly unknownHostsPerSecond: number;
  /**
   * The deadline of a handshake, and that of a request's headers. It runs from the beginning of the connection, or from its last answer.
   */
  readonly headersTimeoutMs: number;
  /** The longest time that a connection waits for its next request, in ms. */
  readonly keepAliveTimeoutMs: number;
  /** The longest time without progress of an answer, in ms. */
  readonly stallTimeoutMs: number;
  /** The least pace of a client. A client that reads more slowly is cut, but not in the first `slowReaderGraceMs`. */
  readonly minBytesPerSecond: number;
  readonly slowReaderGraceMs: number;
}

export type HostingLog = Record<'info' | 'warn' | 'error', (details: object, message: string) => void>;

export interface HostingOptions extends Partial<HostingLimits> {
  /** The store for small objects: sites, listings, the host directory. */
  readonly storage: ObjectReader;
  /** The store for files. If it has connections of its own, small reads do not wait for large ones. Default: `storage`. */
  readonly fileStorage?: ObjectReader;
  /** Returns whether an address is one of our own proxies, which have no limits per client. */
  readonly isTrustedProxy?: (address: string | undefined) => boolean;
  /** The keys that open the private keys of certificates. Without these keys there is no HTTPS. */
  readonly certificateKeys?: KeyRing | undefined;
  readonly log: HostingLog;
  /** The counts to which the server adds. Keep this object to read them. */
  readonly counts?: HostingCounts;
  /** The counts of the answers of sites. Default: they are not counted. */
  readonly crawls?: Pick<CrawlCounts, 'add'> | undefined;
  /**
   * The time in milliseconds since 1970. It decides when `Last-Modified` names a file and how long former uploads are served, and chooses
   * the keys of session tickets.
   */
  readonly now?: () => number;
  /** The steady clock, for the ages of cached things (platform/steady-clock.ts). */
  readonly steadyNow?: () => number;
}

const MIB = 1024 * 1024;

/** The longest time for which we receive the rest of a refused request, and the most bytes of the rest. */
export const LINGER = { maxMs: 1_000, maxBytes: 64 * MIB };

export const DEFAULT_LIMITS: HostingLimits = {
  siteFreshMs: 1_000,
  cacheBytes: 192 * MIB,
  siteCacheBytes: 128 * MIB,
  // The cache has room for 2,000 certificates of 49 KiB.
  certificateCacheBytes: 96 * MIB,
  // 50,000 plain URLs are about 8.5 MB of XML and 0.9 MB of gzip, so nearly every file is cacheable.
  maxCachedFileBytes: 4 * MIB,
  storageTimeoutMs: 5_000,
  // Honest crawlers need less, even if some hundred customers point a hostname to us and forget to upload.
  unknownHostsPerSecond: 200,
  headersTimeoutMs: 10_000,
  // Common load balancers close after 60 s. We wait for longer, because the side that sends requests should close first.
  keepAliveTimeoutMs: 65_000,
  stallTimeoutMs: 30_000,
  minBytesPerSecond: 16 * 1024,
  slowReaderGraceMs: 30_000,
};
