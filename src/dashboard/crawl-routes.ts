/** The chart of answers to crawlers. */
import { Router } from 'express';
import { type CrawlsOfDay, listCrawlsByDay } from '../crawls/crawl-store.ts';
import type { Database } from '../platform/postgres/database.ts';
import { answer } from '../web/envelope.ts';
import { methodNotAllowed } from '../web/not-found.ts';
import { findAskedDomain } from './asked-domain.ts';
import { parseDays } from './parse-days.ts';
import type { SignedIn } from './signed-in.ts';
import type { CrawlDay } from './wire.ts';

export interface CrawlRoutesOptions {
  readonly database: Database;
}

export function crawlRoutes({ database }: CrawlRoutesOptions, signedIn: SignedIn): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router
    .route('/dashboard/api/crawls-per-day')
    .get(
      signedIn(
        async ({ accountId }, { query }, response) => {
          const days = parseDays(query.days);
          const domainId = await findAskedDomain(database, accountId, query.domain);
          const crawls = await listCrawlsByDay(database, { accountId, domainId }, days);
          answer(response, 200, describeDays(crawls));
        },
        { query: ['days', 'domain'] },
      ),
    )
    .all(methodNotAllowed('GET', 'HEAD'));
  return router;
}

function describeDays(crawls: readonly CrawlsOfDay[]): CrawlDay[] {
  return Array.from(
    Map.groupBy(crawls, ({ day }) => day),
    ([day, ofDay]) => ({
      day,
      requests: Object.fromEntries(
        ofDay.flatMap(({ crawler, requests }) => (crawler === null ? [] : [[crawler, requests]])),
      ),
      errors: ofDay.reduce((sum, { errors }) => sum + errors, 0),
    }),
  );
}
