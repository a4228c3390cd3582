/** Makes the options of the dashboard's routes, besides those that it shares with the API. */
import packageJson from '../../package.json' with { type: 'json' };
import { createBeginSession } from '../edges/dashboard/begin-session.ts';
import type { Cookie } from '../edges/dashboard/cookie.ts';
import type { DashboardRoutesOptions } from '../edges/dashboard/dashboard-routes.ts';
import { createIdTokenSeal } from '../edges/dashboard/id-token-seal.ts';
import { endSessionUrl } from '../edges/dashboard/oidc/end-session-url.ts';
import { createOidcOptions } from '../edges/dashboard/oidc/oidc-options.ts';
import type { Providers } from '../edges/dashboard/oidc/provider.ts';
import { createSignInLimits } from '../edges/dashboard/sign-in-limits.ts';
import type { Secret } from '../platform/secret.ts';
import type { CustomerOptions } from './customer-routes-options.ts';
import type { ProcessOptions } from './open-process.ts';

export interface DashboardNeeds extends Pick<ProcessOptions, 'config' | 'log'> {
  readonly customer: CustomerOptions;
  /** The origin of the dashboard, as in https://api.example.net. */
  readonly origin: string;
  /** The value of DASHBOARD_SECRET. */
  readonly secret: Secret;
  readonly providers: Providers;
  readonly cookie: Cookie;
}

export function dashboardRoutesOptions(needs: DashboardNeeds): DashboardRoutesOptions {
  const { config, log, customer, origin, secret, providers, cookie } = needs;
  const seal = createIdTokenSeal(secret);
  const shared = {
    ...{ ...customer, origin, cookie, seal },
    limits: createSignInLimits(customer.admission),
    beginSession: createBeginSession(cookie, seal, log),
  };
  return {
    ...shared,
    providers: providers.map(({ settings }) => settings),
    endSessionUrl: (signedOut) => endSessionUrl(providers, origin, signedOut),
    uploadsPerAccount: config.UPLOADS_PER_ACCOUNT,
    now: () => new Date(),
    help: {
      docsUrl: config.DOCS_URL,
      statusUrl: config.STATUS_URL,
      contact: config.SUPPORT_CONTACT,
      version: packageJson.version,
    },
    oidc: createOidcOptions({ ...shared, providers, secret, emailDomains: config.OIDC_EMAIL_DOMAINS }),
  };
}
