/**
 * The dashboard as one handler, for the server of the API:
 *
 *   /                       to the dashboard
 *   /auth/…                 signing in and out
 *   /dashboard/api/…        its own API, then the customer's
 *   /dashboard/…            the pages
 */
import { type RequestHandler, Router } from 'express';
import { redirect } from '../../core/web/redirect.ts';
import { routesOf } from '../../core/web/routes-of.ts';
import type { Assets } from './assets.ts';
import { contentPolicy } from './content-policy.ts';
import { type DashboardRoutesOptions, dashboardRoutes } from './dashboard-routes.ts';
import type { KeptAssets } from './kept-assets.ts';
import { pageRoutes } from './page-routes.ts';
import { createSignedIn, type SessionAuthenticationOptions } from './session-authenticator.ts';

export interface DashboardOptions {
  readonly routes: DashboardRoutesOptions;
  readonly authentication: SessionAuthenticationOptions;
  /** The routes of the customer's API, as in /api/domains, authenticated by session. */
  readonly customer: readonly RequestHandler[];
  /** The built pages; undefined if they have not been built. */
  readonly assets: Assets | undefined;
  /** The files of other builds. */
  readonly keptAssets?: Pick<KeptAssets, 'find'> | undefined;
}

/** The headers of all answers below `/auth` and `/dashboard`. */
const HEADERS = {
  'Content-Security-Policy': contentPolicy(),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  // With `no-referrer`, browsers send `Origin: null`, which `requireSameOrigin` refuses.
  'Referrer-Policy': 'same-origin',
};

/** HSTS for this host alone (RFC 6797), without `includeSubDomains`: the hosts below it may belong to others. */
const HSTS = 'max-age=31536000';

export function createDashboard(options: DashboardOptions): RequestHandler {
  const { authentication, customer, assets, keptAssets } = options;
  const router = Router({ caseSensitive: true, strict: true });
  router.use(routesOf({ '/': { get: (_request, response) => redirect(response, '/dashboard') } }));
  const isSecure = authentication.origin.startsWith('https:');
  router.use(['/auth', '/dashboard'], (_request, response, next) => {
    response.set(HEADERS);
    if (isSecure) response.set('Strict-Transport-Security', HSTS);
    next();
  });
  router.use(...dashboardRoutes(options.routes, createSignedIn(authentication), assets?.page));
  for (const routes of customer) router.use('/dashboard', routes);
  router.use(pageRoutes(assets, authentication.origin, keptAssets?.find));
  return router;
}

/** The paths of all routes above. */
const OURS = /^\/(?:(?:auth|dashboard)(?:\/|$)|$)/;

/**
 * Makes a handler that stands in for the dashboard until it is open. The dashboard opens late, because its origin has the port that the
 * server gets. Requests for paths of the dashboard wait for it. All other requests pass at once, so this handler may stand before others.
 */
export function whenOpen(opened: Promise<RequestHandler>): RequestHandler {
  return async (request, response, next) => {
    if (OURS.test(request.path)) (await opened)(request, response, next);
    else next();
  };
}
