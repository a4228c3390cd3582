/**
 * Creates the API server. The routes of customers' operations check the key (401) and the rate limit (429) before their work. The
 * dashboard, hooks and the reference page need no key.
 */
import type { Server } from 'node:http';
import type { RequestHandler } from 'express';
import { createWebServer, type WebServerOptions } from '../../core/web/create-web-server.ts';
import { notFoundAmong } from '../../core/web/not-found.ts';
import { type AuthenticationOptions, authenticator } from './authenticate.ts';
import { type HookNeeds, hookRoutes } from './hook-routes.ts';
import { operationRoutes } from './operation-routes.ts';
import { CUSTOMER_OPERATIONS, type CustomerNeeds } from './operations.ts';
import { DESCRIPTION_PATH } from './reference/reference-operations.ts';
import { referenceRoutes } from './reference/reference-routes.ts';

export interface ApiOptions {
  readonly routes: CustomerNeeds & HookNeeds;
  readonly web: WebServerOptions;
  readonly authentication: AuthenticationOptions;
  /** The handlers before all routes. */
  readonly guards: readonly RequestHandler[];
  /** The routes of the dashboard. */
  readonly others: readonly RequestHandler[];
}

/** Creates a server that does not listen yet. */
export function createApi(options: ApiOptions): Server {
  return createWebServer(options.web, [
    ...options.guards,
    // Open dashboards send requests all the time, so their routes come first: Express tries no other route before them.
    ...options.others,
    operationRoutes(CUSTOMER_OPERATIONS, options.routes, authenticator(options.authentication)),
    hookRoutes(options.routes),
    referenceRoutes(),
    notFoundAmong(CUSTOMER_OPERATIONS, DESCRIPTION_PATH),
  ]);
}
