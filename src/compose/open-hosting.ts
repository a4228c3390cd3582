/** Starts the hosting server. It has no database, no jobs and no threads; a test of the import graph proves it. */
import type { Config } from '../core/config/config.ts';
import { CrawlCounts } from '../edges/hosting/crawl-counts.ts';
import { createHosting } from '../edges/hosting/create-hosting.ts';
import { HostingCounts } from '../edges/hosting/hosting-counts.ts';
import type { HostingLimits } from '../edges/hosting/hosting-options.ts';
import { CrawlWriter } from '../edges/hosting/write-crawls.ts';
import { createCrawlCountMetrics } from '../operations/crawl-metrics.ts';
import { exposeHosting } from '../operations/hosting-metrics.ts';
import { withinDeadline } from '../platform/concurrency/deadline.ts';
import { repeat } from '../platform/concurrency/repeat.ts';
import { addressRanges } from '../platform/http/client-address.ts';
import type { KeyRing } from '../platform/key-ring.ts';
import { ConfigError } from '../platform/process/config-error.ts';
import { sayRarely } from '../platform/say-rarely.ts';
import type { ObjectReader } from '../platform/storage/object-storage.ts';
import { keyRingOf } from './key-ring-of.ts';
import type { ProcessOptions } from './open-process.ts';
import { type OpenPorts, openServer } from './open-server.ts';

/** Starts the hosting server. `fileStorage`: the same store, over connections of its own. Throws ConfigError. */
export async function openHosting(
  options: ProcessOptions,
  fileStorage: ObjectReader = options.storage,
): Promise<OpenPorts> {
  const { config, log, metrics, storage } = options;
  const counts = new HostingCounts();
  exposeHosting(metrics, counts);
  const { server, secureServer } = createHosting({
    crawls: startCrawlCounts(options),
    storage,
    fileStorage,
    isTrustedProxy: addressRanges(config.TRUSTED_PROXY_RANGES),
    certificateKeys: certificateKeysOf(config),
    log,
    counts,
    ...hostingLimits(config),
  });
  return openServer(server, options, {
    port: config.HOSTING_PORT,
    variable: 'HOSTING_PORT',
    secure: secureServer && {
      server: secureServer,
      port: config.HOSTING_TLS_PORT!,
      variable: 'HOSTING_TLS_PORT',
    },
    hasProxyHeaders: hasProxyHeaders(config),
    graceMs: config.HOSTING_GRACE_MS,
    maxConnections: config.HOSTING_MAX_CONNECTIONS,
    connectionsPerClient: config.HOSTING_CONNECTIONS_PER_CLIENT,
  });
}

/** Returns the keys that open certificates; undefined without HTTPS. */
function certificateKeysOf(config: Config): KeyRing | undefined {
  if (config.HOSTING_TLS_PORT === undefined) return undefined;
  const keys = keyRingOf(config);
  if (keys === undefined) {
    throw new ConfigError('With HOSTING_TLS_PORT set, CERTIFICATE_KEYS must be set too, as for the jobs.');
  }
  return keys;
}

function hasProxyHeaders({ HOSTING_PROXY_PROTOCOL, TRUSTED_PROXY_RANGES }: Config): boolean {
  if (HOSTING_PROXY_PROTOCOL && TRUSTED_PROXY_RANGES.length === 0) {
    throw new ConfigError(
      'With HOSTING_PROXY_PROTOCOL set, TRUSTED_PROXY_RANGES must name the load balancers: only they are believed.',
    );
  }
  return HOSTING_PROXY_PROTOCOL;
}

/** Returns the limits of hosting that have settings. */
export function hostingLimits(config: Config): Partial<HostingLimits> {
  return {
    siteFreshMs: config.SITE_FRESH_MS,
    cacheBytes: config.HOSTING_CACHE_BYTES,
    siteCacheBytes: config.HOSTING_SITE_CACHE_BYTES,
    certificateCacheBytes: config.HOSTING_CERTIFICATE_CACHE_BYTES,
    storageTimeoutMs: config.HOSTING_STORAGE_TIMEOUT_MS,
    unknownHostsPerSecond: config.HOSTING_UNKNOWN_HOSTS_PER_SECOND,
    headersTimeoutMs: config.HOSTING_HEADERS_TIMEOUT_MS,
    keepAliveTimeoutMs: config.HOSTING_KEEP_ALIVE_TIMEOUT_MS,
    stallTimeoutMs: config.HOSTING_STALL_TIMEOUT_MS,
    minBytesPerSecond: config.HOSTING_MIN_BYTES_PER_SECOND,
  };
}

/** The time to write the last counts. The primary kills a worker 2 s after the time for its answers. */
const END_MS = 1_500;

/**
 * Starts the counts; returns undefined if CRAWL_COUNTS_MS turns them off. Call it before the server opens: then the last answers
 * are counted before the last write.
 */
export function startCrawlCounts({
  config,
  log,
  metrics,
  scope,
  storage,
}: ProcessOptions): CrawlCounts | undefined {
  if (config.CRAWL_COUNTS_MS === 0) return undefined;
  const counts = new CrawlCounts({ now: Date.now });
  const report = createCrawlCountMetrics(metrics, () => counts.dropped);
  const writer = new CrawlWriter({ counts, storage, report });
  const complain = sayRarely<unknown>((err, { unsaid }) =>
    log.warn({ err, unsaid }, 'counts of crawls cannot be written; they wait'),
  );
  const writing = repeat(() => writer.write().catch(complain), config.CRAWL_COUNTS_MS);
  const end = async () => {
    await writing.stop();
    await writer.write();
  };
  scope.defer(() =>
    withinDeadline(end(), END_MS).catch((err) => log.warn({ err }, 'the last counts of crawls are lost')),
  );
  return counts;
}
