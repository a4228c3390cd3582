/** The route of the account's plan and its usage (spec 8). */
import type { Router } from 'express';
import { answer } from '../../core/web/envelope.ts';
import { routesOf } from '../../core/web/routes-of.ts';
import type { Admissions } from '../../features/accounts/open-admission.ts';
import type { Plans } from '../../features/accounts/plans.ts';
import type { Uploads } from '../../features/uploads/open-uploads.ts';
import type { Person, SignedIn } from './signed-in.ts';
import type { Meter, PlanUsage } from './wire.ts';

export interface PlanRoutesOptions {
  readonly admission: Pick<Admissions, 'findRequests'>;
  readonly uploads: Pick<Uploads, 'sumUsage' | 'findPeaks'>;
  readonly plans: Plans;
  /** The most uploads of an account at once. */
  readonly uploadsPerAccount: number;
}

export function planRoutes(options: PlanRoutesOptions, signedIn: SignedIn): Router {
  return routesOf({
    '/dashboard/api/plan': {
      get: signedIn(async (person, _request, response) => {
        const usage: PlanUsage = { name: person.plan, meters: await readMeters(options, person) };
        answer(response, 200, usage);
      }),
    },
  });
}

async function readMeters(
  { admission, uploads, plans, uploadsPerAccount }: PlanRoutesOptions,
  { accountId, plan }: Person,
): Promise<Meter[]> {
  const [usage, peaks, requests] = await Promise.all([
    uploads.sumUsage(accountId),
    uploads.findPeaks(accountId),
    admission.findRequests(accountId),
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
