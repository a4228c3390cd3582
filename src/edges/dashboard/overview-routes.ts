/** Routes of the first page: totals of the account, and its domains. */
import { Router } from 'express';
import type { Cursors } from '../../core/web/cursors.ts';
import { answer } from '../../core/web/envelope.ts';
import { methodNotAllowed } from '../../core/web/not-found.ts';
import { readPage } from '../../core/web/pages.ts';
import type { Plans } from '../../features/accounts/plans.ts';
import type { Domains } from '../../features/domains/open-domains.ts';
import type { OverviewDomain } from '../../features/domains/overview-store.ts';
import { isoSeconds } from '../../platform/iso-seconds.ts';
import { parseSearch } from './search-text.ts';
import type { SignedIn } from './signed-in.ts';
import type { DomainRow, Overview } from './wire.ts';

export interface OverviewRoutesOptions {
  readonly domains: Pick<Domains, 'readOverview' | 'listForOverview'>;
  readonly cursors: Cursors;
  readonly plans: Plans;
}

const PAGE = 100;

export function overviewRoutes(
  { domains, cursors, plans }: OverviewRoutesOptions,
  signedIn: SignedIn,
): Router {
  const router = Router({ caseSensitive: true, strict: true });

  router
    .route('/dashboard/api/overview')
    .get(
      signedIn(async ({ accountId, plan: name }, _request, response) => {
        const plan = { name, domains: plans[name].domains };
        answer(response, 200, { ...(await domains.readOverview(accountId)), plan } satisfies Overview);
      }),
    )
    .all(methodNotAllowed('GET', 'HEAD'));

  router
    .route('/dashboard/api/overview/domains')
    .get(
      signedIn(
        async ({ accountId }, request, response) => {
          const search = parseSearch(request.query.search);
          const list = {
            accountId,
            list: `overview of domains ${search}`,
            read: (limit: number, after: string | undefined) =>
              domains.listForOverview(accountId, search, limit, after),
            positionOf: ({ place }: OverviewDomain) => place,
          };
          const { rows, pagination } = await readPage(request, cursors, list, PAGE);
          answer(response, 200, rows.map(describeRow), { pagination });
        },
        { query: ['search', 'cursor'] },
      ),
    )
    .all(methodNotAllowed('GET', 'HEAD'));

  return router;
}

function describeRow({ place: _, lastUpdated, ...row }: OverviewDomain): DomainRow {
  return { ...row, lastUpdated: lastUpdated && isoSeconds(lastUpdated) };
}
