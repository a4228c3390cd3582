/** Operations that show an attempt to upload, or list the attempts for a domain. An attempt is under way or has ended (spec D64). */
import { z } from 'zod';
import { shownSitemapName } from '../../core/sitemap/file-names.ts';
import type { OwnDomain } from '../../features/domains/own-domain.ts';
import type { AttemptSummary } from '../../features/uploads/attempt-store.ts';
import { UPLOAD_FORMS } from '../../features/uploads/forms/form.ts';
import { describeLoad } from '../../features/uploads/loads/load.ts';
import type { Uploads } from '../../features/uploads/open-uploads.ts';
import { isoSeconds } from '../../platform/iso-seconds.ts';
import { violation, violationKind } from './openapi/error-responses.ts';
import { operation, tagged } from './operation.ts';
import {
  answered,
  answeredPage,
  count,
  described,
  existing,
  id,
  numbered,
  PAGE_QUERY,
  type Shown,
  text,
  time,
} from './shapes.ts';
import { dialectShape } from './upload-body.ts';

export interface AttemptNeeds {
  readonly uploads: Pick<Uploads, 'findAttempt' | 'listAttempts'>;
  readonly ownDomain: OwnDomain;
}

const loadShape = z
  .object({
    scheduled: described(z.boolean(), 'Whether a schedule asked for it.'),
    objects: z.object({
      total: described(
        count.nullable(),
        'Null until the sources are listed. It may grow: an index may list others.',
      ),
      done: count,
      skipped: described(count, 'Left out by `onMissing`.'),
    }),
    bytes: z.object({
      total: described(count.nullable(), 'As sent. Null if the length of an object is not known.'),
      done: count,
    }),
    current: described(text.nullable(), 'The address of an object that is being read.'),
    retries: count,
    nextTryAt: described(time.nullable(), 'When an object is tried again, if one waits for that.'),
    warnings: described(
      z.array(text),
      'For people: what was ignored, left out or completed, with the first object of which it is true. The first 20.',
    ).optional(),
  })
  .meta({ id: 'LoadProgress' });

const attemptShape = z
  .object({
    id: id('attempt'),
    domain: described(text, 'The hostname.'),
    sitemapName: described(text.nullable(), '`default` for the unnamed sitemap; null if it never came.'),
    outcome: z.enum([
      'running',
      'published',
      'unchanged',
      'refused',
      'held',
      'failed',
      'abandoned',
      'dry_run',
      'canceled',
    ]),
    startedAt: time,
    endedAt: described(time.nullable(), 'Null while it is running.'),
    durationMs: count,
    form: z.enum(UPLOAD_FORMS),
    encoding: described(text.nullable(), 'As it was sent, as in `gzip`. Null: none.'),
    bytesReceived: count,
    urlCount: count,
    filesGenerated: count,
    rejected: described(count, 'Entries that were rejected.'),
    generation: described(
      count.nullable(),
      'The generation that it made, or found unchanged. Null for other outcomes.',
    ),
    code: described(text.nullable(), 'Of the error; null unless it is refused or held.'),
    message: described(text.nullable(), 'Of the error, for people.'),
    errors: described(z.array(violation).max(100), 'The first violations, as in the error.'),
    errorCount: count,
    kinds: described(z.array(violationKind), 'The violations by field and message, as in the error.'),
    dialect: described(
      dialectShape.nullable(),
      'What the body was read as. Null while it is running, and if there is nothing to tell.',
    ),
    load: described(loadShape.nullable(), 'Null unless it is a load.'),
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
  kinds: [],
  dialect: null,
  load: null,
  userAgent: 'curl/8.14.1',
  keyId: 'key_79PlDs9c4v8PXeY16He1Yn',
  userId: null,
};

export const attemptOperations = tagged('Uploads', [
  operation('get', '/api/uploads/{id}', {
    id: 'getUpload',
    access: { actions: ['read', 'upload'], to: 'upload' },
    summary: 'Shows an upload, also while it is running',
    answer: answered(200, 'The upload.', attemptShape, ATTEMPT),
    errors: { NOT_FOUND: 'Your account has no such upload.' },
    run: async ({ uploads }: AttemptNeeds, { caller, path }) =>
      describeAttempt(existing(await uploads.findAttempt(caller.accountId, path.id), 'upload')),
  }),
  operation('get', '/api/domains/{id}/uploads', {
    id: 'listUploads',
    access: { actions: ['read'], to: 'sitemaps' },
    summary: 'Lists the uploads of a domain, newest first, whatever became of them',
    query: PAGE_QUERY,
    answer: answeredPage('A page of uploads.', attemptShape, ATTEMPT),
    async run({ uploads, ownDomain }: AttemptNeeds, { caller: { accountId, scope }, path, page }) {
      const { id: domainId } = await ownDomain(accountId, path.id);
      return page({
        list: `uploads of ${domainId}`,
        read: (limit, before) =>
          uploads.listAttempts(
            { accountId, domainId, sitemapNames: scope?.sitemapNames ?? null },
            limit,
            numbered(before),
          ),
        positionOf: ({ position }) => String(position),
        show: describeAttempt,
      });
    },
  }),
]);

function describeAttempt(attempt: AttemptSummary): Shown<typeof attemptShape> {
  const { id, hostname, sitemapName, outcome, startedAt, endedAt, durationMs, form, encoding } = attempt;
  const { bytesReceived, urlCount, fileCount, rejected, seq, code, message, errors, errorCount } = attempt;
  return {
    id,
    domain: hostname,
    sitemapName: sitemapName === null ? null : shownSitemapName(sitemapName),
    outcome,
    startedAt: isoSeconds(startedAt),
    endedAt: endedAt && isoSeconds(endedAt),
    durationMs,
    ...{ form, encoding, bytesReceived, urlCount, filesGenerated: fileCount, rejected },
    ...{ generation: seq, code, message, errors, errorCount, kinds: attempt.kinds ?? [] },
    ...{ dialect: attempt.dialect, load: attempt.load && describeLoad(attempt.load) },
    ...{ userAgent: attempt.userAgent, keyId: attempt.keyId, userId: attempt.userId },
  };
}
