/** What comes before an upload is published and after it, in the API's description: attempts, rejects, generations. */
import { z } from 'zod';
import { UPLOAD_FORMS } from '../../uploads/forms/form.ts';
import { memberSchemas } from '../../uploads/upload-members.ts';
import { violation } from './error-responses.ts';
import type { Operation } from './operation.ts';
import {
  answered,
  answeredPage,
  count,
  described,
  id,
  jsonBody,
  LINES_TYPE,
  PAGE_QUERY,
  text,
  time,
} from './shapes.ts';
import { uploadAnswers } from './upload-operations.ts';

const { force, ifGeneration } = memberSchemas;
const replaces = described(ifGeneration, 'The generation that it may replace; 0: none.').optional();

const attempt = z
  .object({
    id: id('upload'),
    domain: described(text, 'The hostname.'),
    sitemapName: described(text.nullable(), '`default` for the unnamed sitemap; null if it never came.'),
    outcome: z.enum(['running', 'published', 'refused', 'held', 'failed', 'abandoned', 'dry_run']),
    startedAt: time,
    endedAt: described(time.nullable(), 'Null while it is running.'),
    durationMs: count,
    form: z.enum(UPLOAD_FORMS),
    encoding: described(z.enum(['gzip', 'zstd', 'br']).nullable(), 'Null: none.'),
    bytesReceived: count,
    urlCount: count,
    filesGenerated: count,
    rejected: described(count, 'Entries that were rejected.'),
    generation: described(count.nullable(), 'Null unless it is published.'),
    code: described(text.nullable(), 'Of the error; null unless it is refused or held.'),
    message: described(text.nullable(), 'Of the error, for people.'),
    errors: described(z.array(violation).max(100), 'The first violations, as in the error.'),
    errorCount: count,
    userAgent: text.nullable(),
    keyId: id('key').nullable(),
  })
  .meta({ id: 'UploadAttempt' });

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

const ATTEMPT = {
  id: 'upload_2c4v8PXeY16He1Yn79PlDs',
  domain: 'sitemaps.example.com',
  sitemapName: 'products',
  outcome: 'published',
  startedAt: '2026-01-15T10:29:58Z',
  endedAt: '2026-01-15T10:30:00Z',
  durationMs: 2100,
  form: 'csv',
  encoding: 'gzip',
  bytesReceived: 310_000,
  urlCount: 25_000,
  filesGenerated: 3,
  rejected: 0,
  generation: 7,
  code: null,
  message: null,
  errors: [],
  errorCount: 0,
  userAgent: 'curl/8.14.1',
  keyId: 'key_79PlDs9c4v8PXeY16He1Yn',
};

const NO_UPLOAD = 'There is no such upload.';
const sitemapPath = '/api/domains/{id}/sitemaps/{name}';

export const pipelineOperations: readonly Operation[] = [
  {
    id: 'getUpload',
    method: 'get',
    path: '/api/uploads/{id}',
    tag: 'Uploads',
    summary: 'Shows an upload, also while it is running',
    answers: answered(200, 'The upload.', attempt, ATTEMPT),
    errors: { NOT_FOUND: NO_UPLOAD },
  },
  {
    id: 'listUploads',
    method: 'get',
    path: '/api/domains/{id}/uploads',
    tag: 'Uploads',
    summary: 'Lists the uploads of a domain, newest first, whatever became of them',
    query: PAGE_QUERY,
    answers: answeredPage('A page of uploads.', attempt, ATTEMPT),
  },
  {
    id: 'listRejects',
    method: 'get',
    path: '/api/uploads/{id}/rejects',
    tag: 'Uploads',
    summary: 'Lists the rejected entries of an upload',
    description: 'At most 100,000, in the order of the upload. They are kept for 24 hours.',
    answers: [
      {
        status: 200,
        description: 'A violation in each line.',
        content: {
          [LINES_TYPE]: {
            schema: described(
              text,
              'In each line `field`, `value`, `message`, `index`, and `line` for forms with lines.',
            ),
            example:
              '{"line":17,"index":16,"field":"loc","value":"www.example.com/","message":"must be an absolute URL"}\n',
          },
        },
      },
    ],
    errors: {
      NOT_FOUND: 'There is no such upload, or it has no rejected entries.',
      SERVICE_UNAVAILABLE: 'You read too many lists at once.',
    },
  },
  {
    id: 'publishUpload',
    method: 'post',
    path: '/api/uploads/{id}/publish',
    tag: 'Uploads',
    summary: 'Publishes an upload that the guard of its domain holds',
    description: 'Nothing is sent again. It can be repeated: the answer is the same.',
    body: jsonBody(
      z.strictObject({
        force: described(force, "Publishes in spite of the domain's guard.").optional(),
        ifGeneration: replaces,
      }),
      { force: true },
    ),
    answers: uploadAnswers,
    errors: {
      NOT_FOUND: NO_UPLOAD,
      CONFLICT: 'Or the upload is no longer held, the guard still holds it, or `ifGeneration` differs.',
    },
  },
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
      uploadId: ATTEMPT.id,
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
