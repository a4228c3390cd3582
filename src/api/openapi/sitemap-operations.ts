/** The sitemaps of a domain, in the API's description. */
import { z } from 'zod';
import { CHANGE_KINDS } from '../../changes/comparison.ts';
import { LINES_TYPE } from '../send-lines.ts';
import type { Operation } from './operation.ts';
import { answered, answeredPage, count, described, done, id, PAGE_QUERY, text, time } from './shapes.ts';

const tag = 'Sitemaps';

const sitemap = z
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

const changedUrls = z.array(text).max(100);

const changes = z
  .object({
    uploadId: id('upload'),
    formerUploadId: described(id('upload').nullable(), 'The upload that it was compared with.'),
    state: z.enum(['pending', 'compared', 'first', 'unknown']),
    added: described(count.nullable(), 'Null unless `compared`, like the next two.'),
    changed: count.nullable(),
    removed: count.nullable(),
    comparedAt: time.nullable(),
    samples: z.object({ added: changedUrls, changed: changedUrls, removed: changedUrls }),
  })
  .meta({ id: 'SitemapChanges' });

export const sitemapOperations: readonly Operation[] = [
  {
    id: 'listSitemaps',
    method: 'get',
    path: '/api/domains/{id}/sitemaps',
    tag,
    summary: 'Lists the sitemaps of a domain, by name',
    query: PAGE_QUERY,
    answers: answeredPage('A page of sitemaps.', sitemap, {
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
  },
  {
    id: 'deleteSitemap',
    method: 'delete',
    path: '/api/domains/{id}/sitemaps/{name}',
    tag,
    summary: 'Deletes a sitemap',
    answers: answered(200, 'The sitemap is deleted.', z.object({ domain: text, name: text, deleted: done }), {
      domain: 'sitemaps.example.com',
      name: 'products',
      deleted: true,
    }),
    errors: { NOT_FOUND: 'Or there is no such sitemap.' },
  },
  {
    id: 'getSitemapChanges',
    method: 'get',
    path: '/api/domains/{id}/sitemaps/{name}/changes',
    tag,
    summary: 'Tells which URLs the last upload changed',
    description: `With \`Accept: ${LINES_TYPE}\` it lists all of them, a line each, in no order.`,
    answers: answered(
      200,
      'What changed.',
      changes,
      {
        uploadId: 'upload_2c4v8PXeY16He1Yn79PlDs',
        formerUploadId: 'upload_Yn79PlDs9c4v8PXeY16He1',
        state: 'compared',
        added: 1,
        changed: 250,
        removed: 0,
        comparedAt: '2026-01-15T10:00:03Z',
        samples: {
          added: ['https://www.example.com/new'],
          changed: ['https://www.example.com/'],
          removed: [],
        },
      },
      {
        [LINES_TYPE]: {
          schema: described(text, `In each line \`loc\` and \`change\`: ${CHANGE_KINDS.join(', ')}.`),
          example: '{"change":"added","loc":"https://www.example.com/new"}\n',
        },
      },
    ),
    errors: {
      NOT_FOUND: 'Or there is no such sitemap.',
      CONFLICT: 'There is no list to read: `details.state` says why. Only for lines.',
      SERVICE_UNAVAILABLE: 'You read too many lists at once. Only for lines.',
    },
  },
];
