import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/hosting/hosting-options.ts';
import { readConfig } from '../../src/platform/config.ts';

test('the defaults are those of the settings', () => {
  const config = readConfig({});
  expect(DEFAULT_LIMITS).toMatchObject({
    siteFreshMs: config.SITE_FRESH_MS,
    cacheBytes: config.HOSTING_CACHE_BYTES,
    siteCacheBytes: config.HOSTING_SITE_CACHE_BYTES,
    storageTimeoutMs: config.HOSTING_STORAGE_TIMEOUT_MS,
    unknownHostsPerSecond: config.HOSTING_UNKNOWN_HOSTS_PER_SECOND,
    maxConnections: config.HOSTING_MAX_CONNECTIONS,
    headersTimeoutMs: config.HOSTING_HEADERS_TIMEOUT_MS,
    keepAliveTimeoutMs: config.HOSTING_KEEP_ALIVE_TIMEOUT_MS,
    stallTimeoutMs: config.HOSTING_STALL_TIMEOUT_MS,
    minBytesPerSecond: config.HOSTING_MIN_BYTES_PER_SECOND,
  });
});
