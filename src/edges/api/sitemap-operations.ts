/** The sitemaps of a domain (spec 4.5, spec D29). */
import { z } from 'zod';
import { givenSitemapName, shownSitemapName } from '../../core/sitemap/file-names.ts';
import { insertAuditEvent } from '../../features/accounts/audit-store.ts';
import type { OwnDomain } from '../../features/domains/own-domain.ts';
import { type SiteOrigins, siteOrigin } from '../../features/sites/site.ts';
import type { SitemapSummary } from '../../features/uploads/list-sitemaps.ts';
import type { Uploads } from '../../features/uploads/open-uploads.ts';
import { isoSeconds } from '../../platform/iso-seconds.ts';
import { addressesOf } from './describe-upload.ts';
import { operation } from './operation.ts';
import {
  answered,
  answeredPage,
  count,
  described,
  done,
  PAGE_QUERY,
  type Shown,
  text,
  time,
} from './shapes.ts';

export interface SitemapNeeds extends SiteOrigins {
  readonly uploads: Pick<Uploads, 'listSitemaps' | 'deleteSitemap'>;
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
  })
  .meta({ id: 'Sitemap' });

const tag = 'Sitemaps';

export const sitemapOperations = [
  operation({
    id: 'listSitemaps',
    access: { actions: ['read'], to: 'sitemaps' },
    method: 'get',
    path: '/api/domains/{id}/sitemaps',
    tag,
    summary: 'Lists the sitemaps of a domain, by name',
    query: PAGE_QUERY,
    answer: answeredPage('A page of sitemaps.', sitemapShape, {
      name: 'products',
      generation: 7,
      urlCount: 25_000,
      files: 3,
      bytes: 4_200_000,
      gzipBytes: 310_000,
      lastUpdated: '2026-01-15T10:30:00Z',
      sitemapUrl: 'https://sitemaps.example.com/sitemap-products.xml',
      indexUrl: 'https://sitemaps.example.com/sitemap-index.xml',
    }),
    async run(needs: SitemapNeeds, { caller, path, page }) {
      const { id, hostname, sslStatus } = await needs.ownDomain(caller.accountId, path.id);
      const origin = siteOrigin(needs, hostname, sslStatus === 'active');
      return page({
        list: `sitemaps of ${id}`,
        read: (limit, after) => needs.uploads.listSitemaps(id, limit, after, caller.scope?.sitemapNames),
        positionOf: ({ name }) => name,
        show: (sitemap) => describeSitemap(sitemap, origin),
      });
    },
  }),
  operation({
    id: 'deleteSitemap',
    access: { actions: ['delete'], to: 'sitemap' },
    method: 'delete',
    path: '/api/domains/{id}/sitemaps/{name}',
    tag,
    summary: 'Deletes a sitemap',
    answer: answered(200, 'The sitemap is deleted.', z.object({ domain: text, name: text, deleted: done }), {
      domain: 'sitemaps.example.com',
      name: 'products',
      deleted: true,
    }),
    errors: { NOT_FOUND: 'Or there is no such sitemap.' },
    async run({ uploads, ownDomain }: SitemapNeeds, { caller, path: { id: domainId, name } }) {
      const domain = await ownDomain(caller.accountId, domainId);
      await uploads.deleteSitemap(domain, givenSitemapName(name), (transaction, generation) =>
        insertAuditEvent(transaction, caller, {
          ...{ action: 'sitemap.deleted', subject: domain.hostname },
          details: { domainId, sitemapName: name, generation },
        }),
      );
      return { domain: domain.hostname, name, deleted: true as const };
    },
  }),
];

function describeSitemap(
  { name, generation, urlCount, fileCount, bytes, gzipBytes, lastUpdated }: SitemapSummary,
  origin: string,
): Shown<typeof sitemapShape> {
  return {
    name: shownSitemapName(name),
    generation,
    urlCount,
    files: fileCount,
    bytes,
    gzipBytes,
    lastUpdated: isoSeconds(lastUpdated),
    ...addressesOf(origin, name, fileCount),
  };
}
