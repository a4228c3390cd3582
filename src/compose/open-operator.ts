/** Opens the operator's API beside the API of customers, in the same process, on a port of its own (docs/decisions/0077). */

import { readProviders } from '../edges/dashboard/oidc/read-providers.ts';
import { createOperatorApi } from '../edges/operator/create-operator-api.ts';
import { createAdmitOperator } from '../features/accounts/admit-operator.ts';
import { listCertificatePage } from '../features/certificates/certificate-list-store.ts';
import { renewCertificate } from '../features/certificates/renew-certificate.ts';
import { askToReplaceLost } from '../features/certificates/replace-lost.ts';
import { askExamination } from '../features/doctor/ask-examination.ts';
import { findExamination, listExaminations } from '../features/doctor/examination-store.ts';
import { askRebuild } from '../features/sites/rebuild-all.ts';
import { findRebuild, listRebuilds } from '../features/sites/rebuild-store.ts';
import { makeAllHostsDue } from '../features/submission/switch-store.ts';
import { listWaitingHosts } from '../features/submission/waiting-store.ts';
import { listUploads } from '../features/uploads/list-uploads.ts';
import { sumUsage } from '../features/uploads/sum-usage.ts';
import { listDeliveries, retryDelivery, retryFailedDeliveries } from '../features/webhooks/delivery-store.ts';
import { findEndpoint, listEndpoints } from '../features/webhooks/endpoint-store.ts';
import { createOperatorMetrics } from '../operations/api-metrics.ts';
import { Turns } from '../platform/concurrency/turns.ts';
import { Tarpit } from '../platform/http/tarpit.ts';
import { newId } from '../platform/ids.ts';
import { ConfigError } from '../platform/process/config-error.ts';
import { verbsOn } from '../platform/verb.ts';
import { disableWebhook } from './disable-webhook.ts';
import type { DashboardApi } from './open-dashboard.ts';
import type { ApiTerms } from './open-rooms.ts';
import { openServer } from './open-server.ts';

export interface OpenOperatorOptions extends ApiTerms {
  /** The API of customers. Both APIs share its rooms. */
  readonly api: DashboardApi;
  /** The origin at which browsers reach the dashboard; undefined if there is none. */
  readonly dashboardOrigin: string | undefined;
}

/** Few programs use this API, so few connections suffice. */
const MAX_CONNECTIONS = 200;
const GRACE_MS = 10_000;
/**
 * Requests of operators use at most this part of the connections to Postgres. If a script makes thousands of accounts, customers keep the
 * rest.
 */
const SHARE = 0.2;

/** Opens the operator's API. Resolves to the port; undefined if OPERATOR_PORT is not set. Throws ConfigError. */
export async function openOperator(options: OpenOperatorOptions): Promise<number | undefined> {
  const { config, database, livePlans, metrics, scope, api, dashboardOrigin } = options;
  const { OPERATOR_PORT, OPERATOR_TOKENS: tokens } = config;
  if (OPERATOR_PORT === undefined) return undefined;
  if (tokens.length === 0) {
    throw new ConfigError(
      'With OPERATOR_PORT set, OPERATOR_TOKENS must be set too: `npm run cli -- operator-token <name>` makes one.',
    );
  }
  const tarpit = new Tarpit();
  const server = createOperatorApi({
    routes: {
      ...{ ...api.routes, livePlans, uploadsPerAccount: config.UPLOADS_PER_ACCOUNT },
      ...{ dashboardOrigin, hasProviders: readProviders(config).length > 0 },
      examinations: {
        ...verbsOn({ database, newId }, { ask: askExamination }),
        ...verbsOn(database, { find: findExamination, list: listExaminations }),
      },
      rebuilds: {
        ...verbsOn({ database, newId }, { ask: askRebuild }),
        ...verbsOn(database, { find: findRebuild, list: listRebuilds }),
      },
      ...verbsOn(database, {
        ...{
          sumUsage,
          renewCertificate,
          listCertificates: listCertificatePage,
          replaceLost: askToReplaceLost,
        },
        ...{ listUploads, listWaitingHosts, makeAllHostsDue },
      }),
      allWebhooks: verbsOn(database, {
        ...{ find: findEndpoint, list: listEndpoints, disable: disableWebhook, listDeliveries },
        ...{ retry: retryDelivery, retryFailed: retryFailedDeliveries },
      }),
    },
    // No proxy of customers stands before the operator's port.
    web: { ...api.web, reports: createOperatorMetrics(metrics), trustedProxies: 0 },
    authentication: {
      admit: createAdmitOperator({
        ...{ database, tokens, complain: api.web.complain },
        failuresPerMinute: config.AUTH_FAILURES_PER_MINUTE,
        requestsPerMinute: config.OPERATOR_REQUESTS_PER_MINUTE,
      }),
      turns: new Turns(Math.ceil(config.DATABASE_CONNECTIONS * SHARE)),
      ...{ tarpit, once: api.authentication.once, underWay: api.authentication.underWay },
    },
  });
  const { port } = await openServer(server, options, {
    ...{ port: OPERATOR_PORT, variable: 'OPERATOR_PORT' },
    ...{ address: config.OPERATOR_ADDRESS, addressVariable: 'OPERATOR_ADDRESS' },
    ...{ graceMs: GRACE_MS, maxConnections: MAX_CONNECTIONS, connectionsPerClient: MAX_CONNECTIONS },
  });
  scope.use(tarpit);
  return port;
}
