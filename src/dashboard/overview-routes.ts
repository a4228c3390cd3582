/** The first page: what the account has, and its domains. */
import { Router } from 'express';
import type { Plans } from '../accounts/plans.ts';
import { isoSeconds } from '../platform/iso-seconds.ts';
import type { Queryable } from '../platform/postgres/database.ts';
import type { Cursors } from '../web/cursors.ts';
import { answer } from '../web/envelope.ts';
import { methodNotAllowed } from '../web/not-found.ts';
import { readPage } from '../web/pages.ts';
import { type ListedDomain, listDomainRows, readOverview } from './overview-store.ts';
import { parseSearch } from './search-text.ts';
import type { SignedIn } from './signed-in.ts';
import type { DomainRow, Overview } from './wire.ts';

export interface OverviewRoutesOptions {
  readonly database: Queryable;
  readonly cursors: Cursors;
  readonly plans: Plans;
}

const PAGE = 100;

export function overviewRoutes(
  { database, cursors, plans }: OverviewRoutesOptions,
  signedIn: SignedIn,
): Router {
  const router = Router({ caseSensitive: true, strict: true });

  router
    .route('/dashboard/api/overview')
    .get(
      signedIn(async ({ accountId, plan: name }, _request, response) => {
        const plan = { name, domains: plans[name].domains };
        answer(response, 200, { ...(await readOverview(database, accountId)), plan } satisfies Overview);
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
              listDomainRows(database, accountId, search, limit, after),
            positionOf: ({ place }: ListedDomain) => place,
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

function describeRow({ place: _, lastUpdated, ...row }: ListedDomain): DomainRow {
  return { ...row, lastUpdated: lastUpdated && isoSeconds(lastUpdated) };
}
