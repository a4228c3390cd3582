/** The API server: our Express defaults (`web/create-web-server.ts`), then per route: key (401), rate (429), work. */
import type { Server } from 'node:http';
import type { RequestHandler, Router } from 'express';
import { createWebServer, type WebServerOptions } from '../web/create-web-server.ts';
import { type AttemptRoutesOptions, attemptRoutes } from './attempt-routes.ts';
import { type Authenticated, type AuthenticationOptions, authenticator } from './authenticate.ts';
import { type ChangeRoutesOptions, changeRoutes } from './change-routes.ts';
import { type DomainRoutesOptions, domainRoutes } from './domain-routes.ts';
import { type GenerationRoutesOptions, generationRoutes } from './generation-routes.ts';
import { type GuardRoutesOptions, guardRoutes } from './guard-routes.ts';
import { type IndexNowRoutesOptions, indexNowRoutes } from './indexnow-routes.ts';
import { type PageHostRoutesOptions, pageHostRoutes } from './page-host-routes.ts';
import { referenceRoutes } from './reference/reference-routes.ts';
import { type SitemapRoutesOptions, sitemapRoutes } from './sitemap-routes.ts';
import { webhookDeliveryRoutes } from './webhook-delivery-routes.ts';
import { type WebhookRoutesOptions, webhookRoutes } from './webhook-routes.ts';

export interface ApiOptions extends CustomerRoutesOptions {
  readonly web: WebServerOptions;
  readonly authentication: AuthenticationOptions;
  /** Those of the dashboard. */
  readonly others: readonly RequestHandler[];
}

export interface CustomerRoutesOptions {
  readonly domains: DomainRoutesOptions;
  readonly sitemaps: SitemapRoutesOptions;
  readonly guards: GuardRoutesOptions;
  readonly generations: GenerationRoutesOptions;
  readonly attempts: AttemptRoutesOptions;
  readonly changes: ChangeRoutesOptions;
  readonly indexNow: IndexNowRoutesOptions;
  readonly pageHosts: PageHostRoutesOptions;
  readonly webhooks: WebhookRoutesOptions;
}

/** A server that does not listen yet. */
export function createApi(options: ApiOptions): Server {
  const authenticated = authenticator(options.authentication);
  return createWebServer(options.web, [
    ...customerRoutes(options, authenticated),
    referenceRoutes(),
    ...options.others,
  ]);
}

/** What a customer can do. The dashboard has them too, for people with a session. */
export function customerRoutes(
  options: CustomerRoutesOptions,
  authenticated: Authenticated,
): readonly Router[] {
  return [
    domainRoutes(options.domains, authenticated),
    sitemapRoutes(options.sitemaps, authenticated),
    guardRoutes(options.guards, authenticated),
    generationRoutes(options.generations, authenticated),
    attemptRoutes(options.attempts, authenticated),
    changeRoutes(options.changes, authenticated),
    indexNowRoutes(options.indexNow, authenticated),
    pageHostRoutes(options.pageHosts, authenticated),
    webhookRoutes(options.webhooks, authenticated),
    webhookDeliveryRoutes(options.webhooks, authenticated),
  ];
}
