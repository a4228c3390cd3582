/** Opens the dashboard, which the server of the API serves. */
import type { AdmissionOptions } from '../accounts/admit-caller.ts';
import { CallerMemory } from '../accounts/caller-memory.ts';
import { blockedSeconds, createRateLimit, createRateLimits } from '../accounts/rate-limits.ts';
import { notSignedIn, type SessionOwner } from '../accounts/session.ts';
import { findSession, findSessions } from '../accounts/session-store.ts';
import { type AnswerOnceOptions, answerOnce } from '../api/answer-once.ts';
import { type ApiOptions, customerRoutes } from '../api/create-api.ts';
import { type Assets, readAssets } from '../dashboard/assets.ts';
import { createDashboard, whenOpen } from '../dashboard/create-dashboard.ts';
import { keepOutcome } from '../dashboard/keep-outcome.ts';
import { createKeptAssets, type KeptAssets } from '../dashboard/kept-assets.ts';
import { Provider, type Providers } from '../dashboard/oidc/provider.ts';
import { readProviders } from '../dashboard/oidc/read-providers.ts';
import { type Once, sessionAuthenticator } from '../dashboard/session-authenticator.ts';
import { createSessionCookie } from '../dashboard/session-cookie.ts';
import { withinDeadline } from '../platform/concurrency/deadline.ts';
import { repeat } from '../platform/concurrency/repeat.ts';
import { Turns } from '../platform/concurrency/turns.ts';
import type { AskOutside } from '../platform/http/outbound.ts';
import { lookUpInGroups } from '../platform/postgres/in-groups.ts';
import { ConfigError } from '../platform/process/config-error.ts';
import type { Secret } from '../platform/secret.ts';
import type { WebComplaints } from '../web/complaints.ts';
import { connectionsFor } from './connection-shares.ts';
import { dashboardRoutesOptions } from './dashboard-routes-options.ts';
import type { DatabaseProcessOptions } from './open-database.ts';

/** Much sooner than files of a build that nobody renews are deleted. */
const RENEW_ASSETS_MS = 6 * 3_600_000;
const KEEP_ASSETS_MS = 5000;

export interface OpenDashboardOptions extends DatabaseProcessOptions {
  readonly complain: WebComplaints;
  readonly ask: AskOutside;
  readonly api: Omit<ApiOptions, 'others'>;
  /** While DASHBOARD_ORIGIN is not set. Without both there is no dashboard. */
  readonly ownOrigin?: (port: number) => string;
}

/** `listening`: resolves to the port. Returns the dashboard's handler, or none. Throws ConfigError. */
export function openDashboard(
  options: OpenDashboardOptions,
  listening: Promise<number>,
): ApiOptions['others'] {
  const { DASHBOARD_ORIGIN, DASHBOARD_SECRET: secret } = options.config;
  const originAt = DASHBOARD_ORIGIN === undefined ? options.ownOrigin : () => DASHBOARD_ORIGIN;
  const providers = readProviders(options.config).map((settings) => new Provider(settings, options.ask));
  if (originAt === undefined && providers.length > 0) {
    throw new ConfigError('With OIDC_ISSUER or OIDC_PROVIDERS set, DASHBOARD_ORIGIN must be set too.');
  }
  if (originAt === undefined) return [];
  if (secret === undefined) {
    throw new ConfigError('With DASHBOARD_ORIGIN set, DASHBOARD_SECRET must be set too.');
  }
  const opened = listening.then((port) => open(options, originAt(port), secret, providers));
  // Each request that waits for the handler fails with the error.
  opened.catch(() => {});
  return [whenOpen(opened)];
}

async function open(options: OpenDashboardOptions, origin: string, secret: Secret, providers: Providers) {
  const { config, database, log, api } = options;
  const assets = await readAssets();
  if (assets === undefined) log.warn('the dashboard has no pages: run `npm run build:dashboard`');
  const { tarpit, underWay, once } = api.authentication;
  const cookie = createSessionCookie(origin);
  const authentication = {
    ...{ origin, cookie, tarpit, underWay },
    admission: admission(options),
    once: keepingOutcomes(once),
    countChange: createRateLimits(database, api.domains.plans, config.AUTH_FAILURES_PER_MINUTE).countChange,
  };
  return createDashboard({
    authentication,
    customer: customerRoutes(api, sessionAuthenticator(authentication)),
    assets,
    keptAssets: assets && (await keepAssets(options, assets)),
    routes: dashboardRoutesOptions({ ...options, origin, secret, providers, cookie }),
  });
}

/** Kept before the first page is served: its next request may reach a process of another build. */
async function keepAssets(
  { storage, log, scope }: OpenDashboardOptions,
  assets: Assets,
): Promise<KeptAssets> {
  const kept = createKeptAssets(storage, assets, log);
  // A store that hangs must not keep people from the pages.
  await withinDeadline(kept.renew(), KEEP_ASSETS_MS).catch(() => {});
  const repetition = repeat(kept.renew, RENEW_ASSETS_MS);
  scope.defer(() => repetition.stop());
  return kept;
}

function keepingOutcomes(options: AnswerOnceOptions): Once {
  const whenNoToken: Once = (...asked) => answerOnce(options, ...asked);
  return (...asked) => keepOutcome({ ...options, answerOnce: whenNoToken }, ...asked);
}

function admission({ config, database, complain }: OpenDashboardOptions): AdmissionOptions<SessionOwner> {
  const countRequest = createRateLimit(database, 'user', config.DASHBOARD_REQUESTS_PER_MINUTE);
  const countFailure = createRateLimit(database, 'failed-session', config.AUTH_FAILURES_PER_MINUTE);
  return {
    findKnownCaller: lookUpInGroups(database, (token) => token, findSessions),
    findUnknownCaller: (token) => findSession(database, token),
    countRequest: ({ session }) => countRequest(session.userId),
    countFailedAuthentication: async (client) => blockedSeconds(await countFailure(client)),
    unauthorized: notSignedIn,
    callerMemory: new CallerMemory(),
    unknownKeyTurns: new Turns(connectionsFor('unknown sessions', config)),
    authenticationFailed: (client) => complain.authenticationFailed({ client }),
    clientBlocked: (client, seconds) => complain.clientBlocked({ client, seconds }),
  };
}
