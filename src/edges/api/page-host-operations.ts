/** Operations that show whether robots.txt of the page hosts of a domain names its sitemaps, and that ask for a check (spec D53). */
import { z } from 'zod';
import type { Domain } from '../../features/domains/domain.ts';
import type { OwnDomain } from '../../features/domains/own-domain.ts';
import { sitemapLine } from '../../features/page-hosts/named-sitemaps.ts';
import type { PageHosts } from '../../features/page-hosts/open-page-hosts.ts';
import {
  isHostOf,
  MAX_PAGE_HOSTS,
  PAGE_HOST_STATES,
  type PageHost,
  robotsUrlOf,
} from '../../features/page-hosts/page-host.ts';
import { type SiteOrigins, siteOrigin } from '../../features/sites/site.ts';
import { operation, tagged } from './operation.ts';
import { answered, answeredList, count, described, type Shown, shownAs, text, time } from './shapes.ts';

export interface PageHostListNeeds extends SiteOrigins {
  readonly pageHosts: Pick<PageHosts, 'list'>;
}

export interface PageHostNeeds extends SiteOrigins {
  readonly pageHosts: PageHosts;
  readonly ownDomain: OwnDomain;
}

const pageHostShape = z
  .object({
    origin: described(text, 'Scheme, host and port of the pages.'),
    host: described(text, 'With the port if it is not the usual one.'),
    urlCount: described(count, 'URLs of this origin in all sitemaps of the domain.'),
    state: described(z.enum(PAGE_HOST_STATES), 'What its `robots.txt` means for crawlers.'),
    message: described(text.nullable(), 'For people: what was found, and the cure.'),
    line: described(text.nullable(), 'The line to paste into `robots.txt`; null if none is needed.'),
    robotsUrl: text,
    checkedAt: time.nullable(),
    nextCheckAt: time,
  })
  .meta({ id: 'PageHost' });

const EXAMPLE = {
  origin: 'https://www.example.com',
  host: 'www.example.com',
  urlCount: 12_000,
  state: 'found',
  message: 'https://www.example.com/robots.txt names your sitemaps.',
  line: 'Sitemap: https://sitemaps.example.com/sitemap-index.xml',
  robotsUrl: 'https://www.example.com/robots.txt',
  checkedAt: '2026-01-15T10:02:00Z',
  nextCheckAt: '2026-01-16T10:02:00Z',
};

export const PAGE_HOSTS_ANSWER = answeredList(
  'The hosts of pages in the sitemaps of the domain.',
  z.array(pageHostShape).max(MAX_PAGE_HOSTS),
  EXAMPLE,
);

export const PAGE_HOSTS_ORDER = 'The hosts with the most URLs come first. There are no further pages.';

export async function answerPageHosts(
  needs: PageHostListNeeds,
  { id, hostname, sslStatus }: Domain,
): Promise<Shown<typeof pageHostShape>[]> {
  const line = sitemapLine(siteOrigin(needs, hostname, sslStatus === 'active'));
  return (await needs.pageHosts.list(id)).map((pageHost) => describePageHost(pageHost, hostname, line));
}

export const pageHostOperations = tagged('Page hosts', [
  operation('get', '/api/domains/{id}/page-hosts', {
    id: 'listPageHosts',
    access: { actions: ['read'], to: 'whole domain' },
    summary: 'Says whether crawlers believe the sitemaps',
    description: PAGE_HOSTS_ORDER,
    answer: PAGE_HOSTS_ANSWER,
    run: async (needs: PageHostNeeds, { caller, path }) =>
      answerPageHosts(needs, await needs.ownDomain(caller.accountId, path.id)),
  }),
  operation('post', '/api/domains/{id}/page-hosts/check', {
    id: 'checkPageHosts',
    access: { actions: ['domains'], to: 'whole domain' },
    summary: 'Has all page hosts checked now',
    answer: answered(
      202,
      'The checks begin now.',
      z.object({ pageHosts: described(count, 'How many are checked.'), message: text }),
      { pageHosts: 1, message: 'The checks begin now. Their results are in the list of page hosts.' },
    ),
    errors: { RATE_LIMIT_EXCEEDED: 'Or you have asked within the last minute.' },
    async run({ pageHosts, ownDomain }: PageHostNeeds, { caller, path }) {
      const { id } = await ownDomain(caller.accountId, path.id);
      const asked = await pageHosts.askForCheck(id);
      const message = `The checks begin now. Their results are at GET /api/domains/${id}/page-hosts.`;
      return { pageHosts: asked, message };
    },
  }),
]);

function describePageHost(pageHost: PageHost, hostname: string, line: string): Shown<typeof pageHostShape> {
  const { origin } = pageHost;
  return shownAs(pageHostShape, {
    ...{ ...pageHost, host: new URL(origin).host, robotsUrl: robotsUrlOf(origin) },
    line: isHostOf(hostname, origin) ? null : line,
  });
}
