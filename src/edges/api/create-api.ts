/** Creates the API server. Each route checks the key (401) and the rate (429) before it works. */
import type { Server } from 'node:http';
import type { RequestHandler } from 'express';
import { createWebServer, type WebServerOptions } from '../../core/web/create-web-server.ts';
import { type AuthenticationOptions, authenticator } from './authenticate.ts';
import { type HookNeeds, hookRoutes } from './hook-routes.ts';
import { operationRoutes } from './operation-routes.ts';
import { CUSTOMER_OPERATIONS, type CustomerNeeds } from './operations.ts';
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
    // Open dashboards send requests all the time, so their routes come first: they wait for no other route.
    ...options.others,
    operationRoutes(CUSTOMER_OPERATIONS, options.routes, authenticator(options.authentication)),
    hookRoutes(options.routes),
    referenceRoutes(),
  ]);
}
