/** What a hosting server needs, and its limits: every number that bounds it stands here with its reason. */
import type { ObjectReader } from '../platform/storage/object-storage.ts';
import type { HostingCounts } from './hosting-counts.ts';

export interface HostingLimits {
  /** How long a `site.json` is believed before it is read again. A publish is to be visible within 2 s. */
  readonly siteFreshMs: number;
  /** For files and listings in memory. */
  readonly cacheBytes: number;
  /** For what is known of sites; apart from `cacheBytes`, so that a crawl of many files pushes no site out. */
  readonly siteCacheBytes: number;
  /** A file of more gzip bytes is read in pieces and never cached. */
  readonly maxCachedFileBytes: number;
  /** For opening an object, for reading a small one, and for each wait for more bytes of a large one. */
  readonly storageTimeoutMs: number;
  /** Look-ups of hosts never seen that may find no site in one second; see `look-up-budget.ts`. */
  readonly unknownHostsPerSecond: number;
  /** From the connection, or the end of the answer before, to the end of the request's headers. */
  readonly headersTimeoutMs: number;
  /** How long a connection may wait for its next request. */
  readonly keepAliveTimeoutMs: number;
  /** How long an answer may make no progress at all. */
  readonly stallTimeoutMs: number;
  /** A client that reads more slowly than this, after `slowReaderGraceMs`, is cut. */
  readonly minBytesPerSecond: number;
  readonly slowReaderGraceMs: number;
}

export interface HostingLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface HostingOptions extends Partial<HostingLimits> {
  /** For what is small: sites, listings, the host directory. */
  readonly storage: ObjectReader;
  /** For files, best over connections of its own, so that the small never waits behind the large; or the same one. */
  readonly fileStorage?: ObjectReader;
  /** Whether an address is one of our own proxies: no limit per client holds for it. */
  readonly isTrustedProxy?: (address: string | undefined) => boolean;
  readonly log: HostingLog;
  /** What the server counts; whoever wants to know keeps it. */
  readonly counts?: HostingCounts;
  /** Milliseconds since 1970; decides on freshness and on the end of former uploads. */
  readonly now?: () => number;
}

const MIB = 1024 * 1024;

/** How long, and how much, a refused request may still send: no request that we answer has a body. */
export const LINGER = { maxMs: 1_000, maxBytes: 64 * MIB };

export const DEFAULT_LIMITS: HostingLimits = {
  siteFreshMs: 1_000,
  cacheBytes: 256 * MIB,
  siteCacheBytes: 64 * MIB,
  // 50,000 plain URLs are about 8.5 MB of XML and 0.9 MB of gzip, so nearly every file is below.
  maxCachedFileBytes: 4 * MIB,
  storageTimeoutMs: 5_000,
  // Some hundred customers may point a new hostname here and forget to upload before honest crawlers notice.
  unknownHostsPerSecond: 200,
  headersTimeoutMs: 10_000,
  // Longer than the 60 s of common load balancers: whoever closes first should be the one that sends.
  keepAliveTimeoutMs: 65_000,
  stallTimeoutMs: 30_000,
  minBytesPerSecond: 16 * 1024,
  slowReaderGraceMs: 30_000,
};
