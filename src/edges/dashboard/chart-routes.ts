/** Routes of charts, `?days=30[&domain=<id>]`: uploads per day, and answers to crawlers per day. */
import type { Request, Router } from 'express';
import { answer } from '../../core/web/envelope.ts';
import { routesOf } from '../../core/web/routes-of.ts';
import type { CrawlsOfDay, listCrawlsByDay } from '../../features/crawls/crawl-store.ts';
import type { OwnDomain } from '../../features/domains/own-domain.ts';
import type { Uploads } from '../../features/uploads/open-uploads.ts';
import { Turns } from '../../platform/concurrency/turns.ts';
import { invalidField, Refusal } from '../../platform/refusal.ts';
import { isStorable } from '../../platform/storable-text.ts';
import type { Verb } from '../../platform/verb.ts';
import type { SignedIn } from './signed-in.ts';
import type { CrawlDay, UploadDay } from './wire.ts';

export interface ChartRoutesOptions {
  readonly ownDomain: OwnDomain;
  readonly uploads: Pick<Uploads, 'sumDays'>;
  readonly listCrawlsByDay: Verb<typeof listCrawlsByDay>;
}

interface Chart {
  readonly accountId: string;
  readonly days: number;
  /** A domain of the account. Undefined for all of its domains. */
  readonly domainId: string | undefined;
}

const DEFAULT_DAYS = 30;
/** The longest spans of the charts, in days. */
const UPLOAD_DAYS = 90;
const CRAWL_DAYS = 400;
const NUMBER = /^[1-9]\d{0,2}$/;
const PARAMETERS = { query: ['days', 'domain'] };
/** The most charts at once. A chart of 1,000 domains reads millions of rows, and quick statements need connections to Postgres, too. */
const CHARTS_AT_ONCE = 2;

export function chartRoutes(options: ChartRoutesOptions, signedIn: SignedIn): Router {
  const { ownDomain, uploads } = options;
  const turns = new Turns(CHARTS_AT_ONCE);
  const chart = (maxDays: number, read: (chart: Chart) => Promise<readonly (UploadDay | CrawlDay)[]>) =>
    signedIn(async ({ accountId }, request, response) => {
      const days = parseDays(request.query.days, maxDays);
      const domainId = await findDomainId(ownDomain, accountId, request);
      const shown = await turns.run(accountId, async () => {
        // A client that has left needs no chart.
        return response.closed ? undefined : read({ accountId, days, domainId });
      });
      if (shown !== undefined) answer(response, 200, shown);
    }, PARAMETERS);
  return routesOf({
    '/dashboard/api/uploads-per-day': {
      get: chart(
        UPLOAD_DAYS,
        ({ accountId, domainId, days }): Promise<readonly UploadDay[]> =>
          uploads.sumDays(accountId, domainId, days),
      ),
    },
    '/dashboard/api/crawls-per-day': {
      get: chart(CRAWL_DAYS, async ({ days, ...place }) =>
        describeDays(await options.listCrawlsByDay(place, days)),
      ),
    },
  });
}

function parseDays(given: unknown, maxDays: number): number {
  if (given === undefined) return DEFAULT_DAYS;
  const days = typeof given === 'string' && NUMBER.test(given) ? Number(given) : 0;
  if (days >= 1 && days <= maxDays) return days;
  throw invalidField('days', given, `must be a whole number from 1 to ${maxDays}`);
}

/** Returns the id of the domain in the query; undefined if the query has none. Throws Refusal, also for another account's domain. */
async function findDomainId(ownDomain: OwnDomain, accountId: string, { query }: Request) {
  const { domain } = query;
  if (domain === undefined) return undefined;
  // If the parameter is given twice, it is an array.
  if (typeof domain !== 'string' || !isStorable(domain))
    throw new Refusal('NOT_FOUND', 'There is no such domain.');
  return (await ownDomain(accountId, domain)).id;
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
