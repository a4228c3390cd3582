/** The plan of the account and how much of it is used, for people (spec 8). */
import { Router } from 'express';
import type { Plans } from '../accounts/plans.ts';
import type { RequestsOf } from '../accounts/rate-limits.ts';
import type { Database } from '../platform/postgres/database.ts';
import { findPeaks } from '../uploads/find-peaks.ts';
import { sumUsage } from '../uploads/sum-usage.ts';
import { answer } from '../web/envelope.ts';
import { methodNotAllowed } from '../web/not-found.ts';
import type { Person, SignedIn } from './signed-in.ts';
import type { Meter, PlanUsage } from './wire.ts';

export interface PlanRoutesOptions {
  readonly database: Database;
  readonly plans: Plans;
  readonly requestsOf: RequestsOf;
  /** Of one account, at once. */
  readonly uploadsPerAccount: number;
}

export function planRoutes(options: PlanRoutesOptions, signedIn: SignedIn): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router
    .route('/dashboard/api/plan')
    .get(
      signedIn(async (person, _request, response) => {
        const usage: PlanUsage = { name: person.plan, meters: await readMeters(options, person) };
        answer(response, 200, usage);
      }),
    )
    .all(methodNotAllowed('GET', 'HEAD'));
  return router;
}

async function readMeters(
  { database, plans, requestsOf, uploadsPerAccount }: PlanRoutesOptions,
  { accountId, plan }: Person,
): Promise<Meter[]> {
  const [usage, peaks, requests] = await Promise.all([
    sumUsage(database, accountId),
    findPeaks(database, accountId),
    requestsOf(accountId),
  ]);
  const limits = plans[plan];
  const { largestUpload, fullestDomain } = peaks;
  const meter = (name: Meter['name'], used: number, limit: number, of: string | null = null): Meter => ({
    ...{ name, used, limit, of },
  });
  return [
    meter('domains', usage.domains, limits.domains),
    meter('urlsPerUpload', largestUpload?.count ?? 0, limits.urlsPerUpload, largestUpload?.hostname),
    meter('requestsPerMinute', requests, limits.requestsPerMinute),
    meter('storedBytes', usage.storedBytes, limits.storedBytes),
    meter('sitemapsPerDomain', fullestDomain?.count ?? 0, limits.sitemapsPerDomain, fullestDomain?.hostname),
    meter('uploadsAtOnce', usage.uploadsUnderWay, uploadsPerAccount),
  ];
}
