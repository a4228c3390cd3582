/** Page hosts, in the API's description. */
import { z } from 'zod';
import { MAX_PAGE_HOSTS, PAGE_HOST_STATES } from '../../page-hosts/page-host.ts';
import type { Operation } from './operation.ts';
import { answered, count, described, done, JSON_TYPE, text, time } from './shapes.ts';

const tag = 'Page hosts';

const pageHost = z
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

export const pageHostOperations: readonly Operation[] = [
  {
    id: 'listPageHosts',
    method: 'get',
    path: '/api/domains/{id}/page-hosts',
    tag,
    summary: 'Says whether crawlers believe the sitemaps',
    description: 'The hosts with the most URLs come first. There are no further pages.',
    answers: [
      {
        status: 200,
        description: 'The hosts of pages in the sitemaps of the domain.',
        content: {
          [JSON_TYPE]: {
            schema: z.object({
              success: done,
              data: z.array(pageHost).max(MAX_PAGE_HOSTS),
              pagination: z.object({ hasMore: z.literal(false) }),
            }),
            example: { success: true, data: [EXAMPLE], pagination: { hasMore: false } },
          },
        },
      },
    ],
  },
  {
    id: 'checkPageHosts',
    method: 'post',
    path: '/api/domains/{id}/page-hosts/check',
    tag,
    summary: 'Has all page hosts checked now',
    answers: answered(
      202,
      'The checks begin now.',
      z.object({ pageHosts: described(count, 'How many are checked.'), message: text }),
      { pageHosts: 1, message: 'The checks begin now. Their results are in the list of page hosts.' },
    ),
    errors: { RATE_LIMIT_EXCEEDED: 'Or you have asked within the last minute.' },
  },
];
