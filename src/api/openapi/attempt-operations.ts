/** Uploads after they were sent, in the API's description: what became of them, what they left out, and those that are held. */
import { z } from 'zod';
import { UPLOAD_FORMS } from '../../uploads/forms/form.ts';
import { memberSchemas } from '../../uploads/upload-members.ts';
import { LINES_TYPE } from '../send-lines.ts';
import { violation } from './error-responses.ts';
import type { Operation } from './operation.ts';
import { answered, answeredPage, count, described, id, jsonBody, PAGE_QUERY, text, time } from './shapes.ts';
import { replaces, uploadAnswers } from './upload-operations.ts';

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
    keyId: described(id('key').nullable(), 'Null for an upload of the dashboard.'),
    userId: described(text.nullable(), 'The person who sent it in the dashboard.'),
  })
  .meta({ id: 'UploadAttempt' });

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
  userId: null,
};

const NO_UPLOAD = 'Your account has no such upload.';

export const attemptOperations: readonly Operation[] = [
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
        force: described(memberSchemas.force, "Publishes in spite of the domain's guard.").optional(),
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
];
