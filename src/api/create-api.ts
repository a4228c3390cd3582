/** The API server: our Express defaults (`web/create-web-server.ts`), then per route: key (401), rate (429), work. */
import type { Server } from 'node:http';
import { createWebServer, type WebServerOptions } from '../web/create-web-server.ts';
import { type AuthenticationOptions, authenticator } from './authenticate.ts';
import { type DomainRoutesOptions, domainRoutes } from './domain-routes.ts';
import { type SitemapRoutesOptions, sitemapRoutes } from './sitemap-routes.ts';
import { webhookDeliveryRoutes } from './webhook-delivery-routes.ts';
import { type WebhookRoutesOptions, webhookRoutes } from './webhook-routes.ts';

export interface ApiOptions {
  readonly web: WebServerOptions;
  readonly authentication: AuthenticationOptions;
  readonly domains: DomainRoutesOptions;
  readonly sitemaps: SitemapRoutesOptions;
  readonly webhooks: WebhookRoutesOptions;
}

/** A server that does not listen yet. */
export function createApi({ web, authentication, domains, sitemaps, webhooks }: ApiOptions): Server {
  const authenticated = authenticator(authentication);
  return createWebServer(web, [
    domainRoutes(domains, authenticated),
    sitemapRoutes(sitemaps, authenticated),
    webhookRoutes(webhooks, authenticated),
    webhookDeliveryRoutes(webhooks, authenticated),
  ]);
}
