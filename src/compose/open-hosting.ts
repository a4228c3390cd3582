/** Starts the hosting server. It has no database, no jobs and no threads; a test of the import graph proves it. */
import type { Config } from '../config/config.ts';
import { createHosting } from '../hosting/create-hosting.ts';
import { HostingCounts } from '../hosting/hosting-counts.ts';
import type { HostingLimits } from '../hosting/hosting-options.ts';
import { exposeHosting } from '../operations/hosting-metrics.ts';
import { addressRanges } from '../platform/http/client-address.ts';
import type { ObjectReader } from '../platform/storage/object-storage.ts';
import type { ProcessOptions } from './open-process.ts';
import { openServer } from './open-server.ts';

/** Resolves to the port. `fileStorage`: the same store, over connections of its own. */
export async function openHosting(
  options: ProcessOptions,
  fileStorage: ObjectReader = options.storage,
): Promise<number> {
  const { config, log, metrics, storage } = options;
  const counts = new HostingCounts();
  exposeHosting(metrics, counts);
  const server = createHosting({
    storage,
    fileStorage,
    isTrustedProxy: addressRanges(config.TRUSTED_PROXY_RANGES),
    log,
    counts,
    ...hostingLimits(config),
  });
  return openServer(server, options, {
    port: config.HOSTING_PORT,
    variable: 'HOSTING_PORT',
    graceMs: config.HOSTING_GRACE_MS,
    maxConnections: config.HOSTING_MAX_CONNECTIONS,
    connectionsPerClient: config.HOSTING_CONNECTIONS_PER_CLIENT,
  });
}

/** The limits of hosting that have settings. */
export function hostingLimits(config: Config): Partial<HostingLimits> {
  return {
    siteFreshMs: config.SITE_FRESH_MS,
    cacheBytes: config.HOSTING_CACHE_BYTES,
    siteCacheBytes: config.HOSTING_SITE_CACHE_BYTES,
    storageTimeoutMs: config.HOSTING_STORAGE_TIMEOUT_MS,
    unknownHostsPerSecond: config.HOSTING_UNKNOWN_HOSTS_PER_SECOND,
    headersTimeoutMs: config.HOSTING_HEADERS_TIMEOUT_MS,
    keepAliveTimeoutMs: config.HOSTING_KEEP_ALIVE_TIMEOUT_MS,
    stallTimeoutMs: config.HOSTING_STALL_TIMEOUT_MS,
    minBytesPerSecond: config.HOSTING_MIN_BYTES_PER_SECOND,
  };
}
