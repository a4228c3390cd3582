/** Opens the dashboard, which the server of the API serves. */
import packageJson from '../../package.json' with { type: 'json' };
import { type AnswerOnceOptions, answerOnce } from '../edges/api/answer-once.ts';
import type { ApiOptions } from '../edges/api/create-api.ts';
import { operationRoutes } from '../edges/api/operation-routes.ts';
import { CUSTOMER_OPERATIONS } from '../edges/api/operations.ts';
import { type Assets, readAssets } from '../edges/dashboard/assets.ts';
import { createBeginSession } from '../edges/dashboard/begin-session.ts';
import { type Cookie, createSessionCookie } from '../edges/dashboard/cookie.ts';
import { createDashboard, whenOpen } from '../edges/dashboard/create-dashboard.ts';
import type { DashboardRoutesOptions } from '../edges/dashboard/dashboard-routes.ts';
import { createIdTokenSeal } from '../edges/dashboard/id-token-seal.ts';
import { keepOutcome } from '../edges/dashboard/keep-outcome.ts';
import { createKeptAssets, type KeptAssets } from '../edges/dashboard/kept-assets.ts';
import { endSessionUrl } from '../edges/dashboard/oidc/end-session-url.ts';
import { createOidcOptions } from '../edges/dashboard/oidc/oidc-options.ts';
import { Provider, type Providers } from '../edges/dashboard/oidc/provider.ts';
import { readProviders } from '../edges/dashboard/oidc/read-providers.ts';
import { type Once, sessionAuthenticator } from '../edges/dashboard/session-authenticator.ts';
import { createSignInLimits } from '../edges/dashboard/sign-in-limits.ts';
import { withinDeadline } from '../platform/concurrency/deadline.ts';
import { repeat } from '../platform/concurrency/repeat.ts';
import { ConfigError } from '../platform/process/config-error.ts';
import type { Secret } from '../platform/secret.ts';
import type { CustomerOptions } from './customer-routes-options.ts';
import type { ProcessOptions } from './open-process.ts';

/** The time between two renewals of the assets, much shorter than the time after which unused assets are deleted. */
const RENEW_ASSETS_MS = 6 * 3_600_000;
const KEEP_ASSETS_MS = 5000;

/** The API whose server serves the dashboard too. */
export interface DashboardApi extends Omit<ApiOptions, 'others' | 'guards'> {
  readonly routes: CustomerOptions;
}

export interface OpenDashboardOptions extends ProcessOptions {
  readonly api: DashboardApi;
  /** Returns the origin while DASHBOARD_ORIGIN is not set. If both are absent, there is no dashboard. */
  readonly ownOrigin?: (port: number) => string;
}

/**
 * Opens the dashboard, and returns its handler; an empty list if there is no dashboard. `listening`: resolves to the port. Throws
 * ConfigError.
 */
export function openDashboard(
  options: OpenDashboardOptions,
  listening: Promise<number>,
): ApiOptions['others'] {
  const { DASHBOARD_ORIGIN, DASHBOARD_SECRET: secret } = options.config;
  const originAt = DASHBOARD_ORIGIN === undefined ? options.ownOrigin : () => DASHBOARD_ORIGIN;
  const providers = readProviders(options.config).map(
    (settings) => new Provider(settings, options.api.routes.ask),
  );
  if (originAt === undefined && providers.length > 0) {
    throw new ConfigError('With OIDC_ISSUER or OIDC_PROVIDERS set, DASHBOARD_ORIGIN must be set too.');
  }
  if (originAt === undefined) return [];
  if (secret === undefined) {
    throw new ConfigError('With DASHBOARD_ORIGIN set, DASHBOARD_SECRET must be set too.');
  }
  const opened = listening.then((port) => open(options, originAt(port), secret, providers));
  // The rejection is handled elsewhere: each request that waits for the handler fails with it.
  opened.catch(() => {});
  return [whenOpen(opened)];
}

async function open(options: OpenDashboardOptions, origin: string, secret: Secret, providers: Providers) {
  const { log } = options;
  const { routes: customer, authentication: ofKeys } = options.api;
  const assets = await readAssets();
  if (assets === undefined) log.warn('the dashboard has no pages: run `npm run build:dashboard`');
  const cookie = createSessionCookie(origin);
  const authentication = {
    ...{ ...ofKeys, origin, cookie, admission: customer.admission },
    once: keepingOutcomes(ofKeys.once),
  };
  return createDashboard({
    authentication,
    customer: [operationRoutes(CUSTOMER_OPERATIONS, customer, sessionAuthenticator(authentication))],
    assets,
    keptAssets: assets && (await keepAssets(options, assets)),
    routes: routesOptions(options, origin, secret, providers, cookie),
  });
}

function routesOptions(
  { config, log, api }: OpenDashboardOptions,
  origin: string,
  secret: Secret,
  providers: Providers,
  cookie: Cookie,
): DashboardRoutesOptions {
  const seal = createIdTokenSeal(secret);
  const shared = {
    ...{ ...api.routes, origin, cookie, seal },
    limits: createSignInLimits(api.routes.admission),
    beginSession: createBeginSession(cookie, seal, log),
  };
  return {
    ...shared,
    providers: providers.map(({ settings }) => settings),
    endSessionUrl: (signedOut) => endSessionUrl(providers, origin, signedOut),
    uploadsPerAccount: config.UPLOADS_PER_ACCOUNT,
    help: {
      docsUrl: config.DOCS_URL,
      statusUrl: config.STATUS_URL,
      contact: config.SUPPORT_CONTACT,
      version: packageJson.version,
    },
    oidc: createOidcOptions({ ...shared, providers, secret, emailDomains: config.OIDC_EMAIL_DOMAINS }),
  };
}

/** Stores the assets before the first page is served, because the next request of the page may reach a process of another build. */
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
  const whenNoToken: Once = (accountId, ...asked) =>
    answerOnce(options, { accountId, keyId: null }, ...asked);
  return (...asked) => keepOutcome({ ...options, answerOnce: whenNoToken }, ...asked);
}
