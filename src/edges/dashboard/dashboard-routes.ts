/**
 * All routes of the dashboard's own API, of signing in and out, and of the links in mails. `create-dashboard.ts` adds the customer's API,
 * the pages and the headers.
 */
import type { Router } from 'express';
import {
  type AccountRoutesOptions,
  type AuditRoutesOptions,
  accountRoutes,
  auditRoutes,
  type PlanRoutesOptions,
  planRoutes,
} from './account-routes.ts';
import { type AttemptRoutesOptions, attemptRoutes } from './attempt-routes.ts';
import { type ChartRoutesOptions, chartRoutes } from './chart-routes.ts';
import { type KeyRoutesOptions, keyRoutes } from './key-routes.ts';
import { type LiveRoutesOptions, liveRoutes } from './live-routes.ts';
import { type MailLinkRoutesOptions, mailLinkRoutes } from './mail-link-routes.ts';
import { type MemberRoutesOptions, memberRoutes } from './member-routes.ts';
import { type NotificationRoutesOptions, notificationRoutes } from './notification-routes.ts';
import { backChannelLogoutRoutes } from './oidc/back-channel-logout.ts';
import { identityRoutes } from './oidc/identity-routes.ts';
import { invitationRoutes } from './oidc/invitation-routes.ts';
import type { OidcOptions } from './oidc/oidc-options.ts';
import { oidcRoutes } from './oidc/oidc-routes.ts';
import { type OverviewRoutesOptions, overviewRoutes } from './overview-routes.ts';
import { type SessionRoutesOptions, sessionRoutes } from './session-routes.ts';
import { type SignInRoutesOptions, signInRoutes } from './sign-in-routes.ts';
import type { SignedIn } from './signed-in.ts';
import { type SitemapFileRoutesOptions, sitemapFileRoutes } from './sitemap-file-routes.ts';

export type DashboardRoutesOptions = SessionRoutesOptions &
  SignInRoutesOptions &
  OverviewRoutesOptions &
  LiveRoutesOptions &
  ChartRoutesOptions &
  SitemapFileRoutesOptions &
  AttemptRoutesOptions &
  KeyRoutesOptions &
  AccountRoutesOptions &
  MemberRoutesOptions &
  NotificationRoutesOptions &
  MailLinkRoutesOptions &
  PlanRoutesOptions &
  AuditRoutesOptions & { readonly oidc: OidcOptions };

/** `document`: the built page, if there is one. */
export function dashboardRoutes(
  options: DashboardRoutesOptions,
  signedIn: SignedIn,
  document?: Buffer,
): readonly Router[] {
  return [
    // Open pages send this request all the time, so its route comes first: Express tries no other route before it.
    liveRoutes(options, signedIn),
    signInRoutes(options),
    oidcRoutes(options.oidc),
    backChannelLogoutRoutes(options.oidc),
    invitationRoutes(options.oidc, signedIn),
    identityRoutes(options.oidc, signedIn),
    sessionRoutes(options, signedIn),
    overviewRoutes(options, signedIn),
    chartRoutes(options, signedIn),
    sitemapFileRoutes(options, signedIn),
    attemptRoutes(options, signedIn),
    keyRoutes(options, signedIn),
    accountRoutes(options, signedIn),
    memberRoutes(options, signedIn),
    notificationRoutes(options, signedIn),
    mailLinkRoutes(options, document),
    planRoutes(options, signedIn),
    auditRoutes(options, signedIn),
  ];
}
