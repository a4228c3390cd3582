/** All routes of the dashboard's own API. The customer's API, the pages and the headers are in `create-dashboard.ts`. */
import type { Router } from 'express';
import { type SessionRoutesOptions, sessionRoutes } from './session-routes.ts';
import { type SignInRoutesOptions, signInRoutes } from './sign-in-routes.ts';
import type { SignedIn } from './signed-in.ts';

export interface DashboardRoutesOptions {
  readonly sessions: SessionRoutesOptions;
  readonly signIn: SignInRoutesOptions;
}

export function dashboardRoutes(options: DashboardRoutesOptions, signedIn: SignedIn): readonly Router[] {
  return [signInRoutes(options.signIn), sessionRoutes(options.sessions, signedIn)];
}
