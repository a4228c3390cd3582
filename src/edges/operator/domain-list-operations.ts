/** Operations that list the sitemaps and the page hosts of a domain, as its account sees them. */
import type { Domains } from '../../features/domains/open-domains.ts';
import { tagged } from '../api/operation.ts';
import {
  answerPageHosts,
  PAGE_HOSTS_ANSWER,
  PAGE_HOSTS_ORDER,
  type PageHostListNeeds,
} from '../api/page-host-operations.ts';
import {
  SITEMAPS_ANSWER,
  SITEMAPS_QUERY,
  type SitemapListNeeds,
  sitemapsOf,
} from '../api/sitemap-operations.ts';
import { operatorOperation } from './operator-operation.ts';

export interface DomainListNeeds extends SitemapListNeeds, PageHostListNeeds {
  readonly domains: Pick<Domains, 'all'>;
}

const errors = { NOT_FOUND: 'There is no such domain.' };

export const domainListOperations = tagged('Domains', [
  operatorOperation('get', '/operator/domains/{id}/sitemaps', {
    id: 'listSitemaps',
    summary: 'Lists the sitemaps of a domain, by name',
    query: SITEMAPS_QUERY,
    answer: SITEMAPS_ANSWER,
    errors,
    run: async (needs: DomainListNeeds, { path, page, request }) =>
      page(sitemapsOf(needs, await needs.domains.all.get(path.id), request)),
  }),
  operatorOperation('get', '/operator/domains/{id}/page-hosts', {
    id: 'listPageHosts',
    summary: 'Lists the page hosts of a domain, and whether crawlers believe its sitemaps',
    description: PAGE_HOSTS_ORDER,
    answer: PAGE_HOSTS_ANSWER,
    errors,
    run: async (needs: DomainListNeeds, { path }) =>
      answerPageHosts(needs, await needs.domains.all.get(path.id)),
  }),
]);
