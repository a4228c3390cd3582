/** Routes of charts: uploads per day, and answers to crawlers per day. */
import { type Response, Router } from 'express';
import { answer } from '../../core/web/envelope.ts';
import { methodNotAllowed } from '../../core/web/not-found.ts';
import type { CrawlsOfDay, listCrawlsByDay } from '../../features/crawls/crawl-store.ts';
import type { OwnDomain } from '../../features/domains/own-domain.ts';
import type { Uploads } from '../../features/uploads/open-uploads.ts';
import { Turns } from '../../platform/concurrency/turns.ts';
import type { Verb } from '../../platform/verb.ts';
import { CHART_PARAMETERS, readChartQuery } from './chart-query.ts';
import type { SignedIn } from './signed-in.ts';
import type { CrawlDay, UploadDay } from './wire.ts';

export interface ChartRoutesOptions {
  readonly ownDomain: OwnDomain;
  readonly uploads: Pick<Uploads, 'sumDays'>;
  readonly listCrawlsByDay: Verb<typeof listCrawlsByDay>;
}

const UPLOAD_DAYS = 90;
const CRAWL_DAYS = 400;
/** The most charts at once. A chart of a thousand domains reads millions of rows, and quick statements need the connections, too. */
const CHARTS_AT_ONCE = 2;

export function chartRoutes(options: ChartRoutesOptions, signedIn: SignedIn): Router {
  const { ownDomain, uploads } = options;
  const router = Router({ caseSensitive: true, strict: true });
  const turns = new Turns(CHARTS_AT_ONCE);
  /** Reads in the account's turn. Undefined if the client has left before. */
  const inTurn = <Rows>(accountId: string, response: Response, read: () => Promise<Rows>) =>
    turns.run(accountId, async () => (response.closed ? undefined : read()));

  router
    .route('/dashboard/api/uploads-per-day')
    .get(
      signedIn(
        async ({ accountId }, request, response) => {
          const { days, domainId } = await readChartQuery(ownDomain, accountId, request, UPLOAD_DAYS);
          const sums: readonly UploadDay[] | undefined = await inTurn(accountId, response, () =>
            uploads.sumDays(accountId, domainId, days),
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
          const { days, domainId } = await readChartQuery(ownDomain, accountId, request, CRAWL_DAYS);
          const crawls = await inTurn(accountId, response, () =>
            options.listCrawlsByDay({ accountId, domainId }, days),
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
