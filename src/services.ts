/**
 * The composition root: builds the parts of every process from the configuration and hands each what it needs.
 * Whatever is opened here is closed by the scope of its process, in reverse order.
 */
import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { findCaller } from './accounts/key-store.ts';
import type { Plans } from './accounts/plans.ts';
import { createRateLimits } from './accounts/rate-limits.ts';
import { createApi } from './api/create-api.ts';
import type { CnameTargets } from './domains/cname-target.ts';
import { createCnameLookUp } from './domains/look-up-cname.ts';
import { getOwnDomainByHostname } from './domains/own-domain.ts';
import { createHosting } from './hosting/create-hosting.ts';
import { jobHandlers, RECURRING_JOBS } from './job-handlers.ts';
import type { Config } from './platform/config.ts';
import { ConfigError } from './platform/config-error.ts';
import { connectDatabase, type Database } from './platform/database.ts';
import { openFolderStorage } from './platform/folder-storage.ts';
import { closeServer, listen } from './platform/http-server.ts';
import { newId } from './platform/ids.ts';
import { runJobs } from './platform/job-queue.ts';
import type { Log } from './platform/log.ts';
import type { ObjectStorage } from './platform/object-storage.ts';
import { createS3Storage } from './platform/s3-storage.ts';
import type { Secret } from './platform/secret.ts';
import { addGarbage, rescueFromGarbage } from './sites/garbage-store.ts';
import { uploadPrefix } from './sites/site.ts';
import { writeSite } from './sites/write-site.ts';
import { createRenderPool } from './uploads/render-pool.ts';
import { Staging } from './uploads/staging.ts';

/** What all parts of a process share. */
export interface Foundation {
  readonly config: Config;
  readonly log: Log;
  readonly scope: AsyncDisposableStack;
  readonly storage: ObjectStorage;
}

export interface WithDatabase extends Foundation {
  readonly database: Database;
  /** As in https://{hostname}. */
  readonly publicOrigin: string;
}

/** How long requests under way may still take once the process is told to stop. */
const API_GRACE_MS = 4000;
const SETTLE_MS = 2000;
/** Uploads live shorter than this, so what is still listed as garbage then was abandoned. */
const ABANDONED_AFTER_MS = 24 * 3_600_000;

export function openDatabase(url: Secret, { config, log, scope }: Omit<Foundation, 'storage'>): Database {
  const database = connectDatabase(url, config.DATABASE_CONNECTIONS, log);
  scope.defer(() => database.end());
  return database;
}

/** The folder or the S3 store that the configuration names; exactly one of them. Throws ConfigError. */
export async function openStorage(config: Config, scope: AsyncDisposableStack): Promise<ObjectStorage> {
  const { S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY, S3_SECRET_KEY, S3_REGION, STORAGE_DIR } = config;
  if ((STORAGE_DIR === undefined) === (S3_ENDPOINT === undefined)) {
    throw new ConfigError('Set either STORAGE_DIR or S3_ENDPOINT: one object storage for all processes.');
  }
  if (STORAGE_DIR !== undefined) return openFolder(STORAGE_DIR, 'STORAGE_DIR');
  if (!S3_ENDPOINT || !S3_BUCKET || !S3_ACCESS_KEY || !S3_SECRET_KEY) {
    throw new ConfigError(
      'With S3_ENDPOINT set, S3_BUCKET, S3_ACCESS_KEY and S3_SECRET_KEY must be set too.',
    );
  }
  return scope.use(
    createS3Storage({
      endpoint: S3_ENDPOINT,
      region: S3_REGION,
      bucket: S3_BUCKET,
      accessKey: S3_ACCESS_KEY,
      secretKey: S3_SECRET_KEY,
    }),
  );
}

export async function openFolder(folder: string, variable: string): Promise<ObjectStorage> {
  try {
    return await openFolderStorage(folder);
  } catch (cause) {
    throw new ConfigError(
      `${variable} cannot be written to. Make it writable, or set it to another folder.`,
      {
        cause,
      },
    );
  }
}

export interface ApiSettings {
  readonly plans: Plans;
  readonly cnameTargets: CnameTargets;
  /** Whether names below .localhost may be registered. */
  readonly allowLocalhost: boolean;
}

/** Starts the API; resolves to its port. */
export async function openApi(
  parts: WithDatabase,
  { plans, cnameTargets, allowLocalhost }: ApiSettings,
): Promise<number> {
  const { config, database, log, scope, storage, publicOrigin } = parts;
  const keepReplacedMs = config.KEEP_REPLACED_MS;
  const underWay = new Set<Promise<unknown>>();
  const pool = scope.use(
    createRenderPool({ threads: config.RENDER_THREADS, transcodes: config.TRANSCODE_ENTRIES }),
  );
  const server = createApi({
    underWay,
    log,
    database,
    storage,
    pool,
    newId,
    plans,
    publicOrigin,
    keepReplacedMs,
    cnameTargets,
    now: () => new Date(),
    trustedProxies: config.TRUSTED_PROXIES,
    checkHealth: () => database.query('SELECT 1'),
    findCaller: (key) => findCaller(database, key),
    rateLimits: createRateLimits(database, plans, config.AUTH_FAILURES_PER_MINUTE),
    hostnameRules: { reserved: [...config.RESERVED_HOSTNAMES, cnameTargets.base], allowLocalhost },
    lookUpCname: createCnameLookUp(config.DNS_SERVERS),
    getDomain: (accountId, hostname) => getOwnDomainByHostname(database, accountId, hostname),
    writeSite: siteWriter(parts),
    openStaging: () =>
      Staging.open(newId('upload'), {
        storage,
        reserve: (uploadId) => addGarbage(database, [uploadPrefix(uploadId)], ABANDONED_AFTER_MS),
        release: async (uploadId) => void (await rescueFromGarbage(database, uploadPrefix(uploadId))),
        onLeftBehind: (error, uploadId) =>
          log.warn({ err: error, uploadId }, 'staged files left to the sweep'),
        inBackground: (work) => {
          underWay.add(work);
          void work.finally(() => underWay.delete(work));
        },
      }),
    maxBodyBytes: config.MAX_BODY_BYTES,
    uploadLimits: { maxBytes: config.MAX_UPLOAD_BYTES, timeoutMs: config.UPLOAD_TIMEOUT_MS },
    pingUrl: config.PING_URL,
  });
  // Uploads that were cut off still delete what they staged; database and pool close after that.
  scope.defer(async () => void (await Promise.race([Promise.allSettled(underWay), delay(SETTLE_MS)])));
  return openServer(server, parts, { port: config.API_PORT, variable: 'API_PORT', graceMs: API_GRACE_MS });
}

/** Starts the hosting server; resolves to its port. */
export async function openHosting(parts: Foundation): Promise<number> {
  const { config, log, storage } = parts;
  const server = createHosting({
    storage,
    log,
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
  return openServer(server, parts, {
    port: config.HOSTING_PORT,
    variable: 'HOSTING_PORT',
    graceMs: config.HOSTING_GRACE_MS,
  });
}

/** Starts to work on jobs. */
export async function openJobs(parts: WithDatabase): Promise<void> {
  const { database, log, scope, storage } = parts;
  const handlers = jobHandlers({
    database,
    storage,
    log,
    keepReplacedMs: parts.config.KEEP_REPLACED_MS,
    writeSite: siteWriter(parts),
  });
  const runner = await runJobs(database, handlers, RECURRING_JOBS, log);
  scope.defer(() => runner.stop());
}

function siteWriter({ database, storage, publicOrigin, config }: WithDatabase) {
  const keepReplacedMs = config.KEEP_REPLACED_MS;
  return (hostname: string) => writeSite({ database, storage, publicOrigin, keepReplacedMs }, hostname);
}

async function openServer(
  server: Server,
  { config, scope, log }: Foundation,
  { port, variable, graceMs }: { port: number; variable: string; graceMs: number },
): Promise<number> {
  const listening = await listen(server, { address: config.BIND_ADDRESS, port, variable });
  scope.defer(() => closeServer(server, { graceMs, idleMs: config.IDLE_GRACE_MS }));
  log.info({ address: config.BIND_ADDRESS, port: listening }, 'listening');
  return listening;
}
