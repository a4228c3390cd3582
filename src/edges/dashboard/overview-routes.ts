/** Routes of the first page: totals of the account, and its domains. */
import type { Router } from 'express';
import { shownSitemapName } from '../../core/sitemap/file-names.ts';
import type { Cursors } from '../../core/web/cursors.ts';
import { answer } from '../../core/web/envelope.ts';
import { PAGE_PARAMETERS, readPage } from '../../core/web/pages.ts';
import { parseSearch } from '../../core/web/query-text.ts';
import { routesOf } from '../../core/web/routes-of.ts';
import type { Plans } from '../../features/accounts/plans.ts';
import { DOMAIN_FILTERS, DOMAIN_ORDERS, type ListedDomain } from '../../features/needs/domain-list-store.ts';
import type { Need } from '../../features/needs/need.ts';
import type { NeedsRoom } from '../../features/needs/open-needs.ts';
import type { LastUpload } from '../../features/needs/overview-store.ts';
import { showNeed } from '../../features/needs/shown-need.ts';
import { isoSeconds, withShownTimes } from '../../platform/iso-seconds.ts';
import { invalidField } from '../../platform/refusal.ts';
import type { SignedIn } from './signed-in.ts';
import type { DomainRow, Overview } from './wire.ts';

export interface OverviewRoutesOptions {
  readonly needs: Pick<NeedsRoom, 'readOverview' | 'listDomains' | 'findFirst'>;
  readonly cursors: Cursors;
  readonly plans: Plans;
}

/** The rows of a page if the query has no `limit`. */
const PAGE = 100;

export function overviewRoutes({ needs, cursors, plans }: OverviewRoutesOptions, signedIn: SignedIn): Router {
  return routesOf({
    '/dashboard/api/overview': {
      get: signedIn(async ({ accountId, plan: name }, _request, response) => {
        const plan = { name, domains: plans[name].domains };
        const { lastUpload, lastCrawl, ...facts } = await needs.readOverview(accountId);
        const shown: Overview = {
          ...facts,
          lastUpload: lastUpload && describeUpload(lastUpload),
          lastCrawl: lastCrawl && { ...lastCrawl, at: lastCrawl.at && isoSeconds(lastCrawl.at) },
          plan,
        };
        answer(response, 200, shown);
      }),
    },
    '/dashboard/api/overview/domains': {
      get: signedIn(
        async ({ accountId }, request, response) => {
          const { query } = request;
          const search = parseSearch(query.search);
          const filter = oneOf(DOMAIN_FILTERS, query.filter, 'filter');
          const order = oneOf(DOMAIN_ORDERS, query.order, 'order');
          const { rows, pagination } = await readPage(
            request,
            cursors,
            {
              accountId,
              list: `overview of domains ${filter} ${order} ${search}`,
              read: (limit, after) => needs.listDomains({ accountId, search, filter, order }, limit, after),
              positionOf: ({ place }) => place,
            },
            query.limit === undefined ? PAGE : undefined,
          );
          const ids = rows.map(({ id }) => id);
          const first = await needs.findFirst(accountId, ids);
          const shown = rows.map((row) => describeRow(row, first.get(row.id)));
          answer(response, 200, shown, { pagination });
        },
        { query: ['search', 'filter', 'order', ...PAGE_PARAMETERS] },
      ),
    },
  });
}

/** The first name is the default. */
function oneOf<Name extends string>(names: readonly [Name, ...Name[]], given: unknown, field: string): Name {
  if (given === undefined) return names[0];
  const name = names.find((one) => one === given);
  if (name === undefined) throw invalidField(field, given, `must be one of ${names.join(', ')}`);
  return name;
}

function describeUpload({ at, sitemapName, ...upload }: LastUpload): Overview['lastUpload'] {
  return { ...upload, at: isoSeconds(at), sitemapName: shownSitemapName(sitemapName) };
}

function describeRow({ place: _, ...row }: ListedDomain, need: Need | undefined): DomainRow {
  return { ...withShownTimes(row), need: need ? showNeed(need) : null };
}
