/**
 * The composition root: builds the parts of every process from the configuration and hands each what it needs.
 * Whatever is opened here is closed by the scope of its process, in reverse order.
 */
import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { CallerMemory } from './accounts/caller-memory.ts';
import { findCaller, holdCaller } from './accounts/key-store.ts';
import { type Plans, replacedBytesOf } from './accounts/plans.ts';
import { createRateLimits } from './accounts/rate-limits.ts';
import { createUploadSlots } from './accounts/upload-slots.ts';
import { createComplaints } from './api/complaints.ts';
import { createApi } from './api/create-api.ts';
import { createCursors } from './api/cursors.ts';
import type { CnameTargets } from './domains/cname-target.ts';
import { createCnameLookUp } from './domains/look-up-cname.ts';
import { getOwnDomainByHostname } from './domains/own-domain.ts';
import { createHosting } from './hosting/create-hosting.ts';
import { HostingCounts } from './hosting/hosting-counts.ts';
import type { HostingLimits } from './hosting/hosting-options.ts';
import { jobHandlers, RECURRING_JOBS } from './job-handlers.ts';
import { createApiMetrics, exposeRenderPool } from './operations/api-metrics.ts';
import { exposeHosting } from './operations/hosting-metrics.ts';
import { observeDatabase } from './operations/observe-database.ts';
import type { Metrics } from './operations/registry.ts';
import { createJobMetrics, createPublishMetrics } from './operations/site-metrics.ts';
import { addressRanges } from './platform/client-address.ts';
import type { Config } from './platform/config.ts';
import type { ConnectionLimits } from './platform/connection-limits.ts';
import { connectDatabase, type Database } from './platform/database.ts';
import { closeServer, listen } from './platform/http-server.ts';
import { newId } from './platform/ids.ts';
import { enqueueJob, runJobs } from './platform/job-queue.ts';
import type { Log } from './platform/log.ts';
import type { ObjectReader, ObjectStorage } from './platform/object-storage.ts';
import { recentResult } from './platform/recent-result.ts';
import { sayRarely } from './platform/say-rarely.ts';
import type { Secret } from './platform/secret.ts';
import { Tarpit } from './platform/tarpit.ts';
import { Turns } from './platform/turns.ts';
import { addGarbage, rescueFromGarbage } from './sites/garbage-store.ts';
import { uploadPrefix } from './sites/site.ts';
import { inTurn } from './sites/write-in-turn.ts';
import { writeSite } from './sites/write-site.ts';
import { HoldBudget } from './uploads/hold-budget.ts';
import { createRenderPool } from './uploads/render-pool.ts';
import { Staging } from './uploads/staging.ts';

/** What all parts of a process share. */
export interface Foundation {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
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
/** Load balancers ask more seldom, each for itself; strangers need not. */
const HEALTH_FOR_MS = 1000;
/** Of files of uploads, over all accounts: half of the connections to S3. */
const MAX_STAGING_PUTS = 32;
/** Uploads live shorter than this, so what is still listed as garbage then was abandoned. */
const ABANDONED_AFTER_MS = 24 * 3_600_000;

export function openDatabase(
  url: Secret,
  { config, log, metrics, scope }: Omit<Foundation, 'storage'>,
): Database {
  const database = connectDatabase(url, config.DATABASE_CONNECTIONS, log);
  observeDatabase(database, metrics);
  scope.defer(() => database.end());
  return database;
}

export interface ApiSettings {
  readonly plans: Plans;
  readonly cnameTargets: CnameTargets;
  /** Names of special use below which customers may register (domains/hostname.ts). */
  readonly trialNames: readonly string[];
}

/** Starts the API; resolves to its port. */
export async function openApi(
  parts: WithDatabase,
  { plans, cnameTargets, trialNames }: ApiSettings,
): Promise<number> {
  const { config, database, log, metrics, scope, storage, publicOrigin } = parts;
  const keepReplacedMs = config.KEEP_REPLACED_MS;
  const underWay = new Set<Promise<unknown>>();
  const pool = scope.use(
    createRenderPool({ threads: config.RENDER_THREADS, transcodes: config.TRANSCODE_ENTRIES }),
  );
  exposeRenderPool(metrics, () => pool.load());
  // Each holds a connection to the store for as long as a slow one takes; what publishes sites has the others.
  const puts = new Turns(MAX_STAGING_PUTS);
  const complain = createComplaints(log);
  const tarpit = new Tarpit();
  const server = createApi({
    underWay,
    log,
    complain,
    tarpit,
    database,
    storage,
    pool,
    holdBudget: new HoldBudget(),
    newId,
    plans,
    publicOrigin,
    keepReplacedMs,
    cnameTargets,
    cursors: createCursors(cnameTargets.secret),
    now: () => new Date(),
    trustedProxies: config.TRUSTED_PROXIES,
    reports: createApiMetrics(metrics),
    checkHealth: recentResult(() => database.query('SELECT 1'), { forMs: HEALTH_FOR_MS }),
    findCaller: (key) => findCaller(database, key),
    callerMemory: new CallerMemory(),
    // A quarter of the connections to Postgres: writing sites may have half of them, and known keys have the rest.
    unknownKeyTurns: new Turns(Math.ceil(config.DATABASE_CONNECTIONS / 4)),
    authenticationFailed: (client) => complain.authenticationFailed({ client }),
    clientBlocked: (client, seconds) => complain.clientBlocked({ client, seconds }),
    holdCaller,
    rateLimits: createRateLimits(database, plans, config.AUTH_FAILURES_PER_MINUTE),
    hostnameRules: { reserved: [...config.RESERVED_HOSTNAMES, cnameTargets.base], trialNames },
    lookUpCname: createCnameLookUp(config.DNS_SERVERS),
    getDomain: (accountId, hostname) => getOwnDomainByHostname(database, accountId, hostname),
    writeSite: siteWriter(parts),
    openStaging: (accountId) =>
      Staging.open(newId('upload'), {
        storage: {
          putNew: (key, parts) => puts.run(accountId, () => storage.putNew(key, parts)),
          deleteMany: (keys) => storage.deleteMany(keys),
        },
        reserve: (uploadId) => addGarbage(database, [uploadPrefix(uploadId)], ABANDONED_AFTER_MS),
        release: async (uploadId) => void (await rescueFromGarbage(database, uploadPrefix(uploadId))),
        onLeftBehind: (error, uploadId) =>
          log.warn({ err: error, uploadId }, 'staged files left to the sweep'),
        inBackground: (work) => {
          underWay.add(work);
          void work.finally(() => underWay.delete(work));
        },
      }),
    uploadSlots: createUploadSlots(database, {
      perAccount: config.UPLOADS_PER_ACCOUNT,
      perProcess: config.UPLOADS_PER_PROCESS,
      log,
    }),
    maxBodyBytes: config.MAX_BODY_BYTES,
    uploadLimits: { maxBytes: config.MAX_UPLOAD_BYTES, timeoutMs: config.UPLOAD_TIMEOUT_MS },
    pingUrl: config.PING_URL,
  });
  // Uploads that were cut off still delete what they staged; database and pool close after that.
  scope.defer(async () => void (await Promise.race([Promise.allSettled(underWay), delay(SETTLE_MS)])));
  const port = await openServer(server, parts, {
    port: config.API_PORT,
    variable: 'API_PORT',
    graceMs: API_GRACE_MS,
    maxConnections: config.API_MAX_CONNECTIONS,
    connectionsPerClient: config.API_CONNECTIONS_PER_CLIENT,
  });
  // The scope closes in reverse: whoever waits has his answer before the server closes.
  scope.use(tarpit);
  return port;
}

/** Starts the hosting server; resolves to its port. `fileStorage`: the same store, over connections of its own. */
export async function openHosting(
  parts: Foundation,
  fileStorage: ObjectReader = parts.storage,
): Promise<number> {
  const { config, log, metrics, storage } = parts;
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
  return openServer(server, parts, {
    port: config.HOSTING_PORT,
    variable: 'HOSTING_PORT',
    graceMs: config.HOSTING_GRACE_MS,
    maxConnections: config.HOSTING_MAX_CONNECTIONS,
    connectionsPerClient: config.HOSTING_CONNECTIONS_PER_CLIENT,
  });
}

/** Those limits of hosting that have settings. */
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

/** Starts to work on jobs. */
export async function openJobs(parts: WithDatabase, plans: Plans): Promise<void> {
  const { database, log, metrics, scope, storage } = parts;
  const { attempted, collected } = createJobMetrics(metrics);
  const handlers = jobHandlers({
    database,
    storage,
    log,
    keepReplacedMs: parts.config.KEEP_REPLACED_MS,
    replacedBytes: replacedBytesOf(plans),
    report: collected,
    writeSite: siteWriter(parts),
  });
  // At once too: the store of an older version has no host directory.
  await enqueueJob(database, 'hosts.write', {}, { key: 'hosts.write' });
  const runner = await runJobs(database, handlers, RECURRING_JOBS, log, attempted);
  scope.defer(() => runner.stop());
}

/** What it returns is told when the site was changed: by default, just now. */
function siteWriter({ config, database, metrics, publicOrigin, storage }: WithDatabase) {
  const sites = { database, storage, publicOrigin, keepReplacedMs: config.KEEP_REPLACED_MS };
  const report = createPublishMetrics(metrics);
  // Half of the connections to Postgres, whatever becomes of the object storage: requests have the others.
  const places = Math.ceil(config.DATABASE_CONNECTIONS / 2);
  const write = inTurn((hostname) => writeSite(sites, hostname), places);
  return async (hostname: string, changedAt = new Date()) => {
    const wasDue = await write(hostname);
    if (wasDue) report((Date.now() - changedAt.getTime()) / 1000);
  };
}

interface ServerSettings {
  readonly port: number;
  readonly variable: string;
  readonly graceMs: number;
  readonly maxConnections: number;
  readonly connectionsPerClient: number;
}

async function openServer(
  server: Server,
  { config, scope, log }: Foundation,
  { port, variable, graceMs, maxConnections, connectionsPerClient }: ServerSettings,
): Promise<number> {
  const limits: ConnectionLimits = {
    max: maxConnections,
    perClient: connectionsPerClient,
    isTrusted: addressRanges(config.TRUSTED_PROXY_RANGES),
    onRefused: sayRarely(Date.now, (refused: object, { unsaid }) =>
      log.warn({ ...refused, unsaid }, 'too many connections: one was refused'),
    ),
  };
  const listening = await listen(server, { address: config.BIND_ADDRESS, port, variable }, limits);
  scope.defer(() => closeServer(server, { graceMs, idleMs: config.IDLE_GRACE_MS }));
  log.info({ address: config.BIND_ADDRESS, port: listening }, 'listening');
  return listening;
}
