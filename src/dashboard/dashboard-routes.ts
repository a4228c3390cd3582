/** All routes of the dashboard's own API. The customer's API, the pages and the headers are in `create-dashboard.ts`. */
import type { Router } from 'express';
import { type AuditRoutesOptions, auditRoutes } from './audit-routes.ts';
import { type KeyRoutesOptions, keyRoutes } from './key-routes.ts';
import { type MemberRoutesOptions, memberRoutes } from './member-routes.ts';
import { type PlanRoutesOptions, planRoutes } from './plan-routes.ts';
import { type SessionRoutesOptions, sessionRoutes } from './session-routes.ts';
import { type SignInRoutesOptions, signInRoutes } from './sign-in-routes.ts';
import type { SignedIn } from './signed-in.ts';

export interface DashboardRoutesOptions {
  readonly sessions: SessionRoutesOptions;
  readonly signIn: SignInRoutesOptions;
  readonly keys: KeyRoutesOptions;
  readonly members: MemberRoutesOptions;
  readonly plan: PlanRoutesOptions;
  readonly audit: AuditRoutesOptions;
}

export function dashboardRoutes(options: DashboardRoutesOptions, signedIn: SignedIn): readonly Router[] {
  return [
    signInRoutes(options.signIn),
    sessionRoutes(options.sessions, signedIn),
    keyRoutes(options.keys, signedIn),
    memberRoutes(options.members, signedIn),
    planRoutes(options.plan, signedIn),
    auditRoutes(options.audit, signedIn),
  ];
}
