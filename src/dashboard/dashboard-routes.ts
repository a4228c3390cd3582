/** All routes of the dashboard's own API. The customer's API, the pages and the headers are in `create-dashboard.ts`. */
import type { Router } from 'express';
import { backChannelLogoutRoutes } from './oidc/back-channel-logout.ts';
import { identityRoutes } from './oidc/identity-routes.ts';
import { invitationRoutes } from './oidc/invitation-routes.ts';
import type { OidcOptions } from './oidc/oidc-options.ts';
import { oidcRoutes } from './oidc/oidc-routes.ts';
import { type SessionRoutesOptions, sessionRoutes } from './session-routes.ts';
import { type SignInRoutesOptions, signInRoutes } from './sign-in-routes.ts';
import type { SignedIn } from './signed-in.ts';

export interface DashboardRoutesOptions {
  readonly sessions: SessionRoutesOptions;
  readonly signIn: SignInRoutesOptions;
  readonly oidc: OidcOptions;
}

export function dashboardRoutes(options: DashboardRoutesOptions, signedIn: SignedIn): readonly Router[] {
  return [
    signInRoutes(options.signIn),
    oidcRoutes(options.oidc),
    backChannelLogoutRoutes(options.oidc),
    invitationRoutes(options.oidc, signedIn),
    identityRoutes(options.oidc, signedIn),
    sessionRoutes(options.sessions, signedIn),
  ];
}
