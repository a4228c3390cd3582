/** The routes of charts over a database. */
import { chartRoutes } from '../../src/edges/dashboard/chart-routes.ts';
import { listCrawlsByDay } from '../../src/features/crawls/crawl-store.ts';
import { getOwnDomain } from '../../src/features/domains/own-domain.ts';
import { sumUploadDays } from '../../src/features/uploads/upload-day-store.ts';
import type { Queryable } from '../../src/platform/postgres/database.ts';
import { verbsOn } from '../../src/platform/verb.ts';
import { startViews } from './start-routes.ts';

export function startCharts(database: Queryable) {
  const options = {
    ...verbsOn(database, { ownDomain: getOwnDomain, listCrawlsByDay }),
    uploads: verbsOn(database, { sumDays: sumUploadDays }),
  };
  return startViews((signedIn) => [chartRoutes(options, signedIn)]);
}
