/** The generations of a sitemap, in the API's description. */
import { z } from 'zod';
import type { Operation } from './operation.ts';
import { answeredPage, count, described, id, jsonBody, PAGE_QUERY, time } from './shapes.ts';
import { replaces, uploadAnswers } from './upload-operations.ts';

const generation = z
  .object({
    generation: count,
    kind: z.enum(['upload', 'rollback']),
    uploadId: id('upload'),
    urlCount: count,
    filesGenerated: count,
    gzipBytes: count,
    publishedAt: time,
    live: z.boolean(),
    restores: described(count.nullable(), 'The generation that it brought back; null for an upload.'),
    canRollBack: described(z.boolean(), 'Whether its files are still kept.'),
  })
  .meta({ id: 'Generation' });

const sitemapPath = '/api/domains/{id}/sitemaps/{name}';

export const generationOperations: readonly Operation[] = [
  {
    id: 'listGenerations',
    method: 'get',
    path: `${sitemapPath}/generations`,
    tag: 'Sitemaps',
    summary: 'Lists the generations of a sitemap, newest first',
    query: PAGE_QUERY,
    answers: answeredPage('A page of generations.', generation, {
      generation: 7,
      kind: 'upload',
      uploadId: 'upload_2c4v8PXeY16He1Yn79PlDs',
      urlCount: 25_000,
      filesGenerated: 3,
      gzipBytes: 310_000,
      publishedAt: '2026-01-15T10:30:00Z',
      live: true,
      restores: null,
      canRollBack: false,
    }),
    errors: { NOT_FOUND: 'Or there is no such sitemap.' },
  },
  {
    id: 'rollBackSitemap',
    method: 'post',
    path: `${sitemapPath}/rollback`,
    tag: 'Sitemaps',
    summary: 'Brings a former generation of a sitemap back',
    description: 'It becomes a new generation.',
    body: jsonBody(
      z.strictObject({
        generation: described(z.int().min(1), 'The one to bring back.'),
        ifGeneration: replaces,
      }),
      { generation: 6, ifGeneration: 7 },
    ),
    answers: uploadAnswers,
    errors: {
      NOT_FOUND: 'Or there is no such sitemap or generation.',
      CONFLICT: 'Or the generation is no longer kept, or `ifGeneration` differs.',
    },
  },
];
