/** Operations that list, show and delete the sitemaps of a domain, and set how often an upload is expected (spec 4.5, spec D29). */
import type { Request } from 'express';
import { z } from 'zod';
import { givenSitemapName, shownSitemapName } from '../../core/sitemap/file-names.ts';
import { parseSearch } from '../../core/web/query-text.ts';
import { insertAuditEvent } from '../../features/accounts/audit-store.ts';
import { holdCaller } from '../../features/accounts/hold-caller.ts';
import type { Domain } from '../../features/domains/domain.ts';
import type { OwnDomain } from '../../features/domains/own-domain.ts';
import type { PageHosts } from '../../features/page-hosts/open-page-hosts.ts';
import { type SiteOrigins, siteOrigin } from '../../features/sites/site.ts';
import { expectEveryHoursSchema } from '../../features/uploads/freshness/expectation.ts';
import type { SitemapSummary } from '../../features/uploads/list-sitemaps.ts';
import type { Uploads } from '../../features/uploads/open-uploads.ts';
import { invalidField } from '../../platform/refusal.ts';
import { addressesOf } from './describe-upload.ts';
import { operation, type ShownList, tagged } from './operation.ts';
import {
  answered,
  answeredPage,
  count,
  described,
  done,
  existing,
  jsonBody,
  PAGE_QUERY,
  type Shown,
  shownAs,
  text,
  time,
} from './shapes.ts';

export interface SitemapListNeeds extends SiteOrigins {
  readonly uploads: Pick<Uploads, 'listSitemaps'>;
}

export interface SitemapNeeds extends SiteOrigins {
  readonly uploads: Pick<Uploads, 'listSitemaps' | 'findSitemap' | 'deleteSitemap' | 'expectUploads'>;
  readonly pageHosts: Pick<PageHosts, 'checkUnwell'>;
  readonly ownDomain: OwnDomain;
}

const sitemapShape = z
  .object({
    name: described(text, '`default` for the unnamed sitemap.'),
    generation: described(count, 'The one that is live.'),
    urlCount: count,
    files: described(count, 'Its files, without the index.'),
    bytes: described(count, 'Length of their XML.'),
    gzipBytes: described(count, 'Their stored length, which counts for the plan.'),
    lastUpdated: time,
    sitemapUrl: text,
    indexUrl: text.optional(),
    expectEveryHours: described(expectEveryHoursSchema, 'How often an upload is expected. Null: it is not.'),
    freshUntil: described(time.nullable(), 'When the next upload is due, or was due.'),
    staleSince: described(time.nullable(), 'When the upload was due that is missing. Null: none is.'),
  })
  .meta({ id: 'Sitemap' });

const SITEMAP = {
  name: 'products',
  generation: 7,
  urlCount: 25_000,
  files: 3,
  bytes: 4_200_000,
  gzipBytes: 310_000,
  lastUpdated: '2026-01-15T10:30:00Z',
  sitemapUrl: 'https://sitemaps.example.com/sitemap-products.xml',
  indexUrl: 'https://sitemaps.example.com/sitemap-index.xml',
  expectEveryHours: 24,
  freshUntil: '2026-01-16T10:30:00Z',
  staleSince: null,
};

export const SITEMAPS_ANSWER = answeredPage('A page of sitemaps.', sitemapShape, SITEMAP);

export const SITEMAPS_QUERY = {
  ...PAGE_QUERY,
  search: described(text, 'Only those whose name contains this text, in any case of letters.'),
};

/** The list of the sitemaps of a domain. `names`: only these sitemaps; without it, all. Throws Refusal. */
export function sitemapsOf(
  needs: SitemapListNeeds,
  { id, hostname, sslStatus }: Domain,
  { query }: Pick<Request, 'query'>,
  names?: readonly string[] | null,
): ShownList<SitemapSummary, Shown<typeof sitemapShape>> {
  const origin = siteOrigin(needs, hostname, sslStatus === 'active');
  const search = parseSearch(query.search);
  return {
    list: `sitemaps of ${id} ${search}`,
    read: (limit, after) => needs.uploads.listSitemaps(id, limit, after, { names: names ?? null, search }),
    positionOf: ({ name }) => name,
    show: (sitemap) => describeSitemap(sitemap, origin),
  };
}

export const sitemapOperations = tagged('Sitemaps', [
  operation('get', '/api/domains/{id}/sitemaps', {
    id: 'listSitemaps',
    access: { actions: ['read'], to: 'sitemaps' },
    summary: 'Lists the sitemaps of a domain, by name',
    query: SITEMAPS_QUERY,
    answer: SITEMAPS_ANSWER,
    async run(needs: SitemapNeeds, { caller, path, page, request }) {
      const domain = await needs.ownDomain(caller.accountId, path.id);
      return page(sitemapsOf(needs, domain, request, caller.scope?.sitemapNames));
    },
  }),
  operation('get', '/api/domains/{id}/sitemaps/{name}', {
    id: 'getSitemap',
    access: { actions: ['read'], to: 'sitemap' },
    summary: 'Shows one sitemap',
    answer: answered(200, 'The sitemap.', sitemapShape, SITEMAP),
    errors: { NOT_FOUND: 'Or there is no such sitemap.' },
    async run(needs: SitemapNeeds, { caller, path: { id: domainId, name } }) {
      const { hostname, sslStatus } = await needs.ownDomain(caller.accountId, domainId);
      const found = await needs.uploads.findSitemap({ domainId, sitemapName: givenSitemapName(name) });
      return describeSitemap(existing(found, 'sitemap'), siteOrigin(needs, hostname, sslStatus === 'active'));
    },
  }),
  operation('patch', '/api/domains/{id}/sitemaps/{name}', {
    id: 'expectUploads',
    access: { actions: ['upload', 'domains'], to: 'sitemap' },
    summary: 'Says how often a sitemap is uploaded',
    description:
      'An upload that is late is told by the event `sitemap.stale`. An expectation that changes counts from now.',
    body: jsonBody(
      z.strictObject({ expectEveryHours: described(expectEveryHoursSchema, 'Null: no upload is expected.') }),
      { expectEveryHours: 24 },
    ),
    answer: answered(200, 'The sitemap.', sitemapShape, SITEMAP),
    errors: { NOT_FOUND: 'Or there is no such sitemap.' },
    async run(needs: SitemapNeeds, { caller, path: { id: domainId, name }, members }) {
      const { hostname, sslStatus } = await needs.ownDomain(caller.accountId, domainId);
      const expectEveryHours = parseHours(await members());
      const sitemap = { domainId, sitemapName: givenSitemapName(name) };
      const changed = await needs.uploads.expectUploads(
        sitemap,
        expectEveryHours,
        (transaction) => holdCaller(transaction, caller),
        (transaction) =>
          insertAuditEvent(transaction, caller, {
            ...{ action: 'sitemap.changed', subject: hostname },
            details: { domainId, sitemapName: name, expectEveryHours },
          }),
      );
      return describeSitemap(changed, siteOrigin(needs, hostname, sslStatus === 'active'));
    },
  }),
  operation('delete', '/api/domains/{id}/sitemaps/{name}', {
    id: 'deleteSitemap',
    access: { actions: ['delete'], to: 'sitemap' },
    summary: 'Deletes a sitemap',
    answer: answered(200, 'The sitemap is deleted.', z.object({ domain: text, name: text, deleted: done }), {
      domain: 'sitemaps.example.com',
      name: 'products',
      deleted: true,
    }),
    errors: { NOT_FOUND: 'Or there is no such sitemap.' },
    async run({ uploads, pageHosts, ownDomain }: SitemapNeeds, { caller, path: { id: domainId, name } }) {
      const domain = await ownDomain(caller.accountId, domainId);
      await uploads.deleteSitemap(domain, givenSitemapName(name), async (transaction, generation) => {
        await pageHosts.checkUnwell(transaction, domainId);
        await insertAuditEvent(transaction, caller, {
          ...{ action: 'sitemap.deleted', subject: domain.hostname },
          details: { domainId, sitemapName: name, generation },
        });
      });
      return { domain: domain.hostname, name, deleted: true as const };
    },
  }),
]);

function parseHours(members: ReadonlyMap<string, unknown>): number | null {
  const given = members.get('expectEveryHours');
  const parsed = expectEveryHoursSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw invalidField('expectEveryHours', given, parsed.error.issues[0]!.message);
}

function describeSitemap(sitemap: SitemapSummary, origin: string): Shown<typeof sitemapShape> {
  const { name, fileCount } = sitemap;
  const addresses = addressesOf(origin, name, fileCount);
  return shownAs(sitemapShape, { ...sitemap, name: shownSitemapName(name), files: fileCount, ...addresses });
}
