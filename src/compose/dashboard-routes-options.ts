/** What the routes of the dashboard need. */
import { createRateLimit, createRequestsOf } from '../accounts/rate-limits.ts';
import type { ApiOptions } from '../api/create-api.ts';
import { createBeginSession } from '../dashboard/begin-session.ts';
import { createClientLimit } from '../dashboard/client-limit.ts';
import type { Cookie } from '../dashboard/cookie.ts';
import type { DashboardRoutesOptions } from '../dashboard/dashboard-routes.ts';
import { createIdTokenSeal } from '../dashboard/id-token-seal.ts';
import { endSessionUrl } from '../dashboard/oidc/end-session-url.ts';
import { createOidcOptions } from '../dashboard/oidc/oidc-options.ts';
import type { Providers } from '../dashboard/oidc/provider.ts';
import { newId } from '../platform/ids.ts';
import type { Secret } from '../platform/secret.ts';
import type { DatabaseProcessOptions } from './open-database.ts';

export interface DashboardNeeds extends DatabaseProcessOptions {
  readonly api: Pick<ApiOptions, 'authentication' | 'domains'>;
  /** Of the dashboard, as in https://api.example.net. */
  readonly origin: string;
  /** DASHBOARD_SECRET. */
  readonly secret: Secret;
  readonly providers: Providers;
  readonly cookie: Cookie;
}

/** Of one-time links, per client. */
const LINKS_PER_MINUTE = 10;
/** Sign-outs of sessions that are not there, per client: a stranger's cost a statement each. */
const FAILED_SIGN_OUTS_PER_MINUTE = 20;

export function dashboardRoutesOptions(needs: DashboardNeeds): DashboardRoutesOptions {
  const {
    config,
    database,
    log,
    storage,
    publicOrigin,
    secureOrigin,
    api,
    origin,
    secret,
    providers,
    cookie,
  } = needs;
  const { cursors, plans } = api.domains;
  const seal = createIdTokenSeal(secret);
  const beginSession = createBeginSession({ database, cookie, seal, newId, log });
  const common = { database, origin, cookie, maxBodyBytes: config.MAX_BODY_BYTES };
  const known = providers.map(({ settings }) => settings);
  return {
    sessions: { ...common, providers: known },
    overview: { database, cursors, plans },
    live: { database },
    charts: { database },
    sitemapFiles: { database, storage, cursors, log, publicOrigin, secureOrigin },
    attempts: api.authentication.once,
    keys: { ...common, newId, now: () => new Date() },
    members: common,
    plan: {
      ...{ database, plans },
      requestsOf: createRequestsOf(database),
      uploadsPerAccount: config.UPLOADS_PER_ACCOUNT,
    },
    audit: { database, cursors },
    signIn: {
      ...{ ...common, seal, beginSession, providers: known },
      endSessionUrl: (signedOut) => endSessionUrl(providers, origin, signedOut),
      linkLimit: createClientLimit(createRateLimit(database, 'one-time-link', LINKS_PER_MINUTE)),
      failedSignOuts: createClientLimit(
        createRateLimit(database, 'failed-sign-out', FAILED_SIGN_OUTS_PER_MINUTE),
      ),
    },
    oidc: createOidcOptions(
      { ...common, newId, providers, beginSession, emailDomains: config.OIDC_EMAIL_DOMAINS },
      { secret, log },
    ),
  };
}
