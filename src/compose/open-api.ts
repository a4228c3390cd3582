/**
 * Starts the API: opens its rooms by the configuration, the servers of the API, the dashboard and the operator's API, and the queue of
 * loads.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createDatabaseCheck } from '../core/schema/check-schema.ts';
import { createWebComplaints } from '../core/web/complaints.ts';
import type { BodyLimits } from '../core/web/request-body.ts';
import { createApi } from '../edges/api/create-api.ts';
import { createApiMetrics, exposeRenderPool } from '../operations/api-metrics.ts';
import { createJobReport } from '../operations/site-metrics.ts';
import { recentResult } from '../platform/concurrency/recent-result.ts';
import { Shares } from '../platform/concurrency/shares.ts';
import { Tarpit } from '../platform/http/tarpit.ts';
import { customerRoutesOptions } from './customer-routes-options.ts';
import { type DashboardApi, openDashboard } from './open-dashboard.ts';
import { openOperator } from './open-operator.ts';
import { type ApiTerms, openRooms } from './open-rooms.ts';
import { openSecureApi } from './open-secure-api.ts';
import { openServer } from './open-server.ts';
import { startQueue } from './start-queue.ts';

export interface OpenApiOptions extends ApiTerms {
  /** Returns the address of the dashboard in the all-in-one program while DASHBOARD_ORIGIN is not set. */
  readonly ownOrigin?: (port: number) => string;
  /** Runs as soon as the port is known. `/healthz` answers after it. */
  readonly beforeHealthy?: (port: number) => Promise<unknown>;
}

/** The time for the answers to uploads that did not end in time. An early answer lingers for 5 s (`linger.ts`), and 2 s are to spare. */
const LAST_ANSWERS_MS = 7000;
const SETTLE_MS = 2000;
/** How long a health check stays valid. Load balancers ask less often, and strangers cause at most one statement in this time. */
const HEALTH_FOR_MS = 1000;

/** Starts the API. Resolves to the port. */
export async function openApi(options: OpenApiOptions): Promise<number> {
  const { config, database, log, metrics } = options;
  const underWay = new Set<Promise<unknown>>();
  const complain = createWebComplaints(log);
  const reports = createApiMetrics(metrics);
  const ending = new AbortController();
  const announced = Promise.withResolvers<unknown>();
  const checkDatabase = createDatabaseCheck(database);
  const checkHealth = recentResult(() => announced.promise.then(checkDatabase), { forMs: HEALTH_FOR_MS });
  const rooms = openRooms({ ...options, complain, reports, underWay });
  exposeRenderPool(metrics, rooms.uploads.renderLoad);
  const loading = startQueue({ ...options, reportJob: createJobReport(metrics) }, rooms.uploads.loads);
  const uploadLimits = uploadLimitsOf(config, ending.signal);
  const once = {
    ...{ claims: rooms.claims, ensureWritten: rooms.ensureWritten, log, bodyLimits: uploadLimits },
    comparisons: new Shares({ inAll: config.UPLOADS_PER_PROCESS, perOwner: config.UPLOADS_PER_ACCOUNT }),
  };
  const api: DashboardApi = {
    routes: customerRoutesOptions({ ...options, rooms, reports, uploadLimits }),
    web: { complain, reports, trustedProxies: config.TRUSTED_PROXIES, checkHealth },
    authentication: { admission: rooms.admission, tarpit: new Tarpit(), underWay, once },
  };
  const port = await serve(options, api, ending);
  await openOperator({
    ...options,
    api,
    dashboardOrigin: config.DASHBOARD_ORIGIN ?? options.ownOrigin?.(port),
  });
  // A process that ends takes no more loads while its server closes. The loads under way are not awaited here: `startQueue` waits for them
  // once the server is closed.
  options.scope.defer(() => void loading.stop());
  const before = options.beforeHealthy?.(port) ?? Promise.resolve();
  announced.resolve(before);
  // The rejection needs a handler even if no request asks for health.
  announced.promise.catch(() => {});
  await before;
  // A database without the schema is logged at the start, even if no request asks /healthz.
  void checkHealth().catch((err) => log.warn({ err }, 'not ready'));
  return port;
}

/** Starts the server with the dashboard. The scope closes both in reverse order. Resolves to the port. */
async function serve(options: OpenApiOptions, api: DashboardApi, ending: AbortController): Promise<number> {
  const { config, scope } = options;
  const { tarpit, underWay } = api.authentication;
  const listening = Promise.withResolvers<number>();
  const { secure, guards } = openSecureApi(options);
  const others = openDashboard({ ...options, api }, listening.promise);
  const server = createApi({ ...api, guards, others });
  // Uploads that were cut off still delete their staged files. The database and the threads close after that.
  scope.defer(async () => void (await Promise.race([Promise.allSettled(underWay), delay(SETTLE_MS)])));
  const { port } = await openServer(server, options, {
    port: config.API_PORT,
    variable: 'API_PORT',
    secure,
    graceMs: config.API_GRACE_MS + LAST_ANSWERS_MS,
    maxConnections: config.API_MAX_CONNECTIONS,
    connectionsPerClient: config.API_CONNECTIONS_PER_CLIENT,
  });
  listening.resolve(port);
  scope.defer(() => void setTimeout(() => ending.abort(), config.API_GRACE_MS).unref());
  // Clients in the tarpit get their answers before the server closes.
  scope.use(tarpit);
  return port;
}

function uploadLimitsOf(config: OpenApiOptions['config'], ending: AbortSignal): BodyLimits {
  return {
    maxBytes: config.MAX_UPLOAD_BYTES,
    timeoutMs: config.UPLOAD_TIMEOUT_MS,
    minimum: {
      stallTimeoutMs: config.UPLOAD_STALL_TIMEOUT_MS,
      bytesPerSecond: config.UPLOAD_MIN_BYTES_PER_SECOND,
    },
    ending,
  };
}
