/** Page hosts over HTTP (spec D53): whether robots.txt of the hosts in the sitemaps names them. */
import { Router } from 'express';
import { getOwnDomain } from '../domains/own-domain.ts';
import { askForCheck } from '../page-hosts/ask-for-check.ts';
import { sitemapLine } from '../page-hosts/named-sitemaps.ts';
import { isHostOf, type PageHost, robotsUrlOf } from '../page-hosts/page-host.ts';
import { listPageHosts } from '../page-hosts/page-host-store.ts';
import { isoSeconds } from '../platform/iso-seconds.ts';
import type { Database } from '../platform/postgres/database.ts';
import { type SiteOrigins, siteOrigin } from '../sites/site.ts';
import { answer } from '../web/envelope.ts';
import { methodNotAllowed } from '../web/not-found.ts';
import type { Authenticated } from './authenticate.ts';

export interface PageHostRoutesOptions extends SiteOrigins {
  readonly database: Database;
}

export function pageHostRoutes(options: PageHostRoutesOptions, authenticated: Authenticated): Router {
  const { database } = options;
  const router = Router({ caseSensitive: true, strict: true });

  router
    .route('/api/domains/:id/page-hosts')
    .get(
      authenticated(async (caller, request, response) => {
        const domain = await getOwnDomain(database, caller.accountId, String(request.params.id));
        const { id, hostname, sslStatus } = domain;
        const pageHosts = await listPageHosts(database, id);
        const line = sitemapLine(siteOrigin(options, hostname, sslStatus === 'active'));
        answer(
          response,
          200,
          pageHosts.map((pageHost) => describePageHost(pageHost, hostname, line)),
          { pagination: { hasMore: false } },
        );
      }),
    )
    .all(methodNotAllowed('GET', 'HEAD'));

  router
    .route('/api/domains/:id/page-hosts/check')
    .post(
      authenticated(async (caller, request, response) => {
        const { id } = await getOwnDomain(database, caller.accountId, String(request.params.id));
        const pageHosts = await askForCheck(database, id);
        const message = `The checks begin now. Their results are at GET /api/domains/${id}/page-hosts.`;
        answer(response, 202, { pageHosts, message });
      }),
    )
    .all(methodNotAllowed('POST'));

  return router;
}

function describePageHost(pageHost: PageHost, hostname: string, line: string) {
  const { origin, urlCount, state, message, checkedAt, nextCheckAt } = pageHost;
  return {
    origin,
    host: new URL(origin).host,
    urlCount,
    state,
    message,
    line: isHostOf(hostname, origin) ? null : line,
    robotsUrl: robotsUrlOf(origin),
    checkedAt: checkedAt && isoSeconds(checkedAt),
    nextCheckAt: isoSeconds(nextCheckAt),
  };
}
