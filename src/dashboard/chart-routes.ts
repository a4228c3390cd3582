/** What charts show: uploads per day, and answers to crawlers per day. */
import { type Response, Router } from 'express';
import { type CrawlsOfDay, listCrawlsByDay } from '../crawls/crawl-store.ts';
import { Turns } from '../platform/concurrency/turns.ts';
import type { Queryable } from '../platform/postgres/database.ts';
import { sumUploadDays } from '../uploads/upload-day-store.ts';
import { answer } from '../web/envelope.ts';
import { methodNotAllowed } from '../web/not-found.ts';
import { CHART_PARAMETERS, readChartQuery } from './chart-query.ts';
import type { SignedIn } from './signed-in.ts';
import type { CrawlDay, UploadDay } from './wire.ts';

export interface ChartRoutesOptions {
  readonly database: Queryable;
}

const UPLOAD_DAYS = 90;
const CRAWL_DAYS = 400;
/** A chart of a thousand domains reads millions of rows. Most of the connections to Postgres are for what is quick. */
const CHARTS_AT_ONCE = 2;

export function chartRoutes({ database }: ChartRoutesOptions, signedIn: SignedIn): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const turns = new Turns(CHARTS_AT_ONCE);
  /** Undefined when the client has gone before its turn. */
  const inTurn = <Rows>(accountId: string, response: Response, read: () => Promise<Rows>) =>
    turns.run(accountId, async () => (response.closed ? undefined : read()));

  router
    .route('/dashboard/api/uploads-per-day')
    .get(
      signedIn(
        async ({ accountId }, request, response) => {
          const { days, domainId } = await readChartQuery(database, accountId, request, UPLOAD_DAYS);
          const sums: readonly UploadDay[] | undefined = await inTurn(accountId, response, () =>
            sumUploadDays(database, accountId, domainId, days),
          );
          if (sums !== undefined) answer(response, 200, sums);
        },
        { query: CHART_PARAMETERS },
      ),
    )
    .all(methodNotAllowed('GET', 'HEAD'));

  router
    .route('/dashboard/api/crawls-per-day')
    .get(
      signedIn(
        async ({ accountId }, request, response) => {
          const { days, domainId } = await readChartQuery(database, accountId, request, CRAWL_DAYS);
          const crawls = await inTurn(accountId, response, () =>
            listCrawlsByDay(database, { accountId, domainId }, days),
          );
          if (crawls !== undefined) answer(response, 200, describeDays(crawls));
        },
        { query: CHART_PARAMETERS },
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
