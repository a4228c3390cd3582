/**
 * All routes of the dashboard's own API. The customer's API, the pages and the headers are in
 * `create-dashboard.ts`.
 */
import type { Router } from 'express';
import { type AttemptRoutesOptions, attemptRoutes } from './attempt-routes.ts';
import { type AuditRoutesOptions, auditRoutes } from './audit-routes.ts';
import { type ChartRoutesOptions, chartRoutes } from './chart-routes.ts';
import { type KeyRoutesOptions, keyRoutes } from './key-routes.ts';
import { type LiveRoutesOptions, liveRoutes } from './live-routes.ts';
import { type MemberRoutesOptions, memberRoutes } from './member-routes.ts';
import { backChannelLogoutRoutes } from './oidc/back-channel-logout.ts';
import { identityRoutes } from './oidc/identity-routes.ts';
import { invitationRoutes } from './oidc/invitation-routes.ts';
import type { OidcOptions } from './oidc/oidc-options.ts';
import { oidcRoutes } from './oidc/oidc-routes.ts';
import { type OverviewRoutesOptions, overviewRoutes } from './overview-routes.ts';
import { type PlanRoutesOptions, planRoutes } from './plan-routes.ts';
import { type SessionRoutesOptions, sessionRoutes } from './session-routes.ts';
import { type SignInRoutesOptions, signInRoutes } from './sign-in-routes.ts';
import type { SignedIn } from './signed-in.ts';
import { type SitemapFileRoutesOptions, sitemapFileRoutes } from './sitemap-file-routes.ts';

export interface DashboardRoutesOptions {
  readonly sessions: SessionRoutesOptions;
  readonly signIn: SignInRoutesOptions;
  readonly overview: OverviewRoutesOptions;
  readonly live: LiveRoutesOptions;
  readonly charts: ChartRoutesOptions;
  readonly sitemapFiles: SitemapFileRoutesOptions;
  readonly attempts: AttemptRoutesOptions;
  readonly oidc: OidcOptions;
  readonly keys: KeyRoutesOptions;
  readonly members: MemberRoutesOptions;
  readonly plan: PlanRoutesOptions;
  readonly audit: AuditRoutesOptions;
}

export function dashboardRoutes(options: DashboardRoutesOptions, signedIn: SignedIn): readonly Router[] {
  return [
    signInRoutes(options.signIn),
    oidcRoutes(options.oidc),
    backChannelLogoutRoutes(options.oidc),
    invitationRoutes(options.oidc, signedIn),
    identityRoutes(options.oidc, signedIn),
    sessionRoutes(options.sessions, signedIn),
    overviewRoutes(options.overview, signedIn),
    liveRoutes(options.live, signedIn),
    chartRoutes(options.charts, signedIn),
    sitemapFileRoutes(options.sitemapFiles, signedIn),
    attemptRoutes(options.attempts, signedIn),
    keyRoutes(options.keys, signedIn),
    memberRoutes(options.members, signedIn),
    planRoutes(options.plan, signedIn),
    auditRoutes(options.audit, signedIn),
  ];
}
