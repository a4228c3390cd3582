/** Uploads per day, for a chart. */
import { Router } from 'express';
import type { Queryable } from '../platform/postgres/database.ts';
import { sumUploadDays } from '../uploads/upload-day-store.ts';
import { answer } from '../web/envelope.ts';
import { methodNotAllowed } from '../web/not-found.ts';
import { CHART_PARAMETERS, readChartQuery } from './chart-query.ts';
import type { SignedIn } from './signed-in.ts';
import type { UploadDay } from './wire.ts';

export interface ChartRoutesOptions {
  readonly database: Queryable;
}

export function chartRoutes({ database }: ChartRoutesOptions, signedIn: SignedIn): Router {
  const router = Router({ caseSensitive: true, strict: true });

  router
    .route('/dashboard/api/uploads-per-day')
    .get(
      signedIn(
        async ({ accountId }, request, response) => {
          const { days, domainId } = await readChartQuery(database, accountId, request);
          const sums: readonly UploadDay[] = await sumUploadDays(database, accountId, domainId, days);
          answer(response, 200, sums);
        },
        { query: CHART_PARAMETERS },
      ),
    )
    .all(methodNotAllowed('GET', 'HEAD'));

  return router;
}
