/** Starts the API: builds each feature from the configuration and hands it what it needs. */

import { setTimeout as delay } from 'node:timers/promises';
import { unauthorized } from '../accounts/api-key.ts';
import { CallerMemory } from '../accounts/caller-memory.ts';
import { holdCaller } from '../accounts/hold-caller.ts';
import { findCaller, findCallers } from '../accounts/key-store.ts';
import type { Plans } from '../accounts/plans.ts';
import { createRateLimits } from '../accounts/rate-limits.ts';
import { createUploadSlots } from '../accounts/upload-slots.ts';
import type { AuthenticationOptions } from '../api/authenticate.ts';
import { createApi } from '../api/create-api.ts';
import { createSendLines } from '../api/send-lines.ts';
import type { SitemapRoutesOptions } from '../api/sitemap-routes.ts';
import type { CnameTargets } from '../domains/cname-target.ts';
import { createDiagnose } from '../domains/diagnose-domain.ts';
import { createGetDomain } from '../domains/own-domain.ts';
import { createClaims } from '../idempotency/claims.ts';
import { createApiMetrics, exposeRenderPool } from '../operations/api-metrics.ts';
import { takeWarnings } from '../page-hosts/take-warnings.ts';
import { recentResult } from '../platform/concurrency/recent-result.ts';
import { Shares } from '../platform/concurrency/shares.ts';
import { Turns } from '../platform/concurrency/turns.ts';
import { createLookUp } from '../platform/dns/look-up.ts';
import { createAddressRule } from '../platform/http/public-address.ts';
import { Tarpit } from '../platform/http/tarpit.ts';
import { newId } from '../platform/ids.ts';
import { lookUpInGroups } from '../platform/postgres/in-groups.ts';
import { createDatabaseCheck } from '../schema/check-schema.ts';
import { createChangeSite } from '../sites/change-site.ts';
import { createKeepPromise } from '../sites/promised-site.ts';
import type { UploadOptions } from '../uploads/accept-upload.ts';
import { HoldBudget } from '../uploads/hold-budget.ts';
import { createOpenStaging } from '../uploads/open-staging.ts';
import { createPublishInGroups, type PublishInGroupsOptions } from '../uploads/publish-in-groups.ts';
import { createRecordAttempts } from '../uploads/record-attempts.ts';
import { createRenderHere } from '../uploads/render-here.ts';
import { createRenderPool } from '../uploads/render-pool.ts';
import { createWebComplaints, type WebComplaints } from '../web/complaints.ts';
import { createCursors } from '../web/cursors.ts';
import { createEmitRefusedUploads } from '../webhooks/emit-refused-uploads.ts';
import { connectionsFor } from './connection-shares.ts';
import { createSiteWriter } from './create-site-writer.ts';
import { domainLife } from './domain-life.ts';
import { openDashboard } from './open-dashboard.ts';
import type { DatabaseProcessOptions } from './open-database.ts';
import { openOutbound } from './open-outbound.ts';
import { openServer } from './open-server.ts';

export interface OpenApiOptions extends DatabaseProcessOptions {
  readonly plans: Plans;
  readonly cnameTargets: CnameTargets;
  /** Names of special use below which customers may register (domains/hostname.ts). */
  readonly trialNames: readonly string[];
  /** All in one: the address of the dashboard while DASHBOARD_ORIGIN is not set. */
  readonly ownOrigin?: (port: number) => string;
  /** Done as soon as the port is known. `/healthz` answers after it. */
  readonly beforeHealthy?: (port: number) => Promise<unknown>;
}

/** For the answers to uploads that did not end in time: an early answer lingers 5 s (`linger.ts`), and 2 s to spare. */
const LAST_ANSWERS_MS = 7000;
const SETTLE_MS = 2000;
/** Some 200 sockets, of the 1,024 that a process often has. */
const DIAGNOSES_AT_ONCE = 20;
/** Each may take 10 s. */
const KEY_CHECKS_AT_ONCE = 20;
/** Load balancers ask less often. Strangers cause at most one statement in this time. */
const HEALTH_FOR_MS = 1000;

/** Resolves to the port. */
export async function openApi(options: OpenApiOptions): Promise<number> {
  const {
    config,
    database,
    log,
    metrics,
    scope,
    plans,
    publicOrigin,
    secureOrigin,
    cnameTargets,
    trialNames,
  } = options;
  const keepReplacedMs = config.KEEP_REPLACED_MS;
  const underWay = new Set<Promise<unknown>>();
  const complain = createWebComplaints(log);
  const reports = createApiMetrics(metrics);
  const tarpit = new Tarpit();
  const ending = new AbortController();
  const cursors = createCursors(cnameTargets.secret);
  const announced = Promise.withResolvers<unknown>();
  const checkDatabase = createDatabaseCheck(database);
  const checkHealth = recentResult(() => announced.promise.then(checkDatabase), { forMs: HEALTH_FOR_MS });
  const writeSite = createSiteWriter(options, 'sites of the API');
  const changeSite = createChangeSite({ database, writeSite });
  const ask = openOutbound(options);
  const submitsUrls = config.INDEXNOW_ENDPOINT !== undefined;
  const { upload, renderHere } = uploading(options, underWay, { changeSite, writeSite });
  const answerUploads = {
    publicOrigin,
    secureOrigin,
    ping: { ask, pingUrl: config.PING_URL },
    submitsUrls,
    now: upload.now,
  };
  const sendLines = createSendLines();
  const uploadLimits = {
    maxBytes: config.MAX_UPLOAD_BYTES,
    timeoutMs: config.UPLOAD_TIMEOUT_MS,
    minimum: {
      stallTimeoutMs: config.UPLOAD_STALL_TIMEOUT_MS,
      bytesPerSecond: config.UPLOAD_MIN_BYTES_PER_SECOND,
    },
    ending: ending.signal,
  };
  const api = {
    web: {
      complain,
      reports,
      trustedProxies: config.TRUSTED_PROXIES,
      checkHealth,
    },
    authentication: {
      ...admission(options, complain),
      tarpit,
      underWay,
      once: {
        claims: createClaims({ database, secret: cnameTargets.secret, log }),
        keepPromise: createKeepPromise({ database, writeSite }),
        ...{ database, log, bodyLimits: uploadLimits },
        comparisons: new Shares({ inAll: config.UPLOADS_PER_PROCESS, perOwner: config.UPLOADS_PER_ACCOUNT }),
      },
    },
    domains: {
      database,
      plans,
      cursors,
      maxBodyBytes: config.MAX_BODY_BYTES,
      newId,
      hostnameRules: { reserved: [...config.RESERVED_HOSTNAMES, cnameTargets.base], trialNames },
      cnameTargets,
      diagnose: createDiagnose(createLookUp(config.DNS_SERVERS)),
      diagnosisTurns: new Turns(DIAGNOSES_AT_ONCE),
      ...domainLife(changeSite, keepReplacedMs),
      submission: { database, isConfigured: submitsUrls },
    },
    webhooks: {
      database,
      cursors,
      maxBodyBytes: config.MAX_BODY_BYTES,
      newId,
      master: config.WEBHOOK_SECRET,
      isAllowedAddress: createAddressRule(config.OUTBOUND_ALLOWED_RANGES),
    },
    sitemaps: {
      database,
      ...{ upload, renderHere },
      deletion: { changeSite, keepReplacedMs },
      plans,
      log,
      reports,
      cursors,
      uploadSlots: createUploadSlots(database, {
        perAccount: config.UPLOADS_PER_ACCOUNT,
        perProcess: config.UPLOADS_PER_PROCESS,
        log,
      }),
      uploadLimits,
      answer: answerUploads,
      emitRefused: createEmitRefusedUploads({ database, underWay, log }),
      recordAttempt: createRecordAttempts({ database, underWay, log }),
    },
    guards: {
      publish: upload,
      answer: answerUploads,
      storage: options.storage,
      sendLines,
      plans,
      maxBodyBytes: config.MAX_BODY_BYTES,
      log,
    },
    generations: {
      database,
      publish: upload,
      plans,
      cursors,
      maxBodyBytes: config.MAX_BODY_BYTES,
      answer: answerUploads,
    },
    attempts: { database, cursors },
    indexNow: {
      database,
      ask,
      checkTurns: new Turns(KEY_CHECKS_AT_ONCE),
      changeSite,
      isConfigured: submitsUrls,
      maxBodyBytes: config.MAX_BODY_BYTES,
    },
    changes: { database, storage: options.storage, sendLines },
    pageHosts: { database, publicOrigin, secureOrigin },
  };
  const listening = Promise.withResolvers<number>();
  const dashboard = openDashboard({ ...options, complain, ask, api }, listening.promise);
  const server = createApi({ ...api, others: dashboard });
  // Uploads that were cut off still delete their staged files. Database and pool close after that.
  scope.defer(async () => void (await Promise.race([Promise.allSettled(underWay), delay(SETTLE_MS)])));
  const { port } = await openServer(server, options, {
    port: config.API_PORT,
    variable: 'API_PORT',
    graceMs: config.API_GRACE_MS + LAST_ANSWERS_MS,
    maxConnections: config.API_MAX_CONNECTIONS,
    connectionsPerClient: config.API_CONNECTIONS_PER_CLIENT,
  });
  listening.resolve(port);
  scope.defer(() => void setTimeout(() => ending.abort(), config.API_GRACE_MS).unref());
  // The scope closes in reverse order: clients in the tarpit get their answers before the server closes.
  scope.use(tarpit);
  const before = options.beforeHealthy?.(port) ?? Promise.resolve();
  announced.resolve(before);
  // Without anyone who asks for health, nobody else handles it.
  announced.promise.catch(() => {});
  await before;
  // Log a database without the schema at the start, even if nobody asks /healthz.
  void checkHealth().catch((err) => log.warn({ err }, 'not ready'));
  return port;
}

function admission(
  { config, database, plans }: OpenApiOptions,
  complain: WebComplaints,
): Omit<AuthenticationOptions, 'tarpit' | 'underWay' | 'once'> {
  const rateLimits = createRateLimits(database, plans, config.AUTH_FAILURES_PER_MINUTE);
  return {
    findKnownCaller: lookUpInGroups(database, (key) => key, findCallers),
    findUnknownCaller: (key) => findCaller(database, key),
    callerMemory: new CallerMemory(),
    unknownKeyTurns: new Turns(connectionsFor('unknown keys', config)),
    authenticationFailed: (client) => complain.authenticationFailed({ client }),
    clientBlocked: (client, seconds) => complain.clientBlocked({ client, seconds }),
    countRequest: async ({ accountId, plan }) => {
      const state = await rateLimits.countRequest(accountId, plan);
      // In a minute, and over all processes, one request is the first beyond the limit.
      if (state.excess === 1) complain.accountLimited({ accountId, plan, requestsPerMinute: state.limit });
      return state;
    },
    countFailedAuthentication: rateLimits.countFailedAuthentication,
    unauthorized,
  };
}

function uploading(
  { config, database, log, metrics, scope, storage, publicOrigin, secureOrigin }: OpenApiOptions,
  underWay: Set<Promise<unknown>>,
  { changeSite, writeSite }: Pick<PublishInGroupsOptions, 'changeSite' | 'writeSite'>,
): Pick<SitemapRoutesOptions, 'upload' | 'renderHere'> {
  const transcodes = config.TRANSCODE_ENTRIES;
  const pool = scope.use(createRenderPool({ threads: config.RENDER_THREADS, transcodes }));
  const renderHere = createRenderHere({ threads: pool, transcodes });
  exposeRenderPool(metrics, () => renderHere.load());
  const publishing = {
    database,
    holdCaller,
    changeSite,
    keepReplacedMs: config.KEEP_REPLACED_MS,
    publicOrigin,
    secureOrigin,
    takeWarnings,
    now: () => new Date(),
  };
  const upload: UploadOptions = {
    ...publishing,
    publishSmall: createPublishInGroups({
      ...publishing,
      writeSite,
      alone: connectionsFor('small uploads apart', config),
    }),
    // Small bodies have no slot, but not all of their uploads go with a group.
    publishTurns: new Turns(Number.POSITIVE_INFINITY, config.UPLOADS_PER_ACCOUNT),
    storage,
    pool,
    holdBudget: new HoldBudget(),
    openStaging: createOpenStaging({ database, storage, log, underWay }),
    getDomain: createGetDomain(database),
    newId,
  };
  return { upload, renderHere };
}
