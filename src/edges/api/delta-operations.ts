/** The operation of deltas: a few entries of a sitemap are added, changed or removed (docs/decisions/0058). */
import type { Request } from 'express';
import { z } from 'zod';
import { DEFAULT_SITEMAP } from '../../core/sitemap/file-names.ts';
import { butIs, contentTypeOf } from '../../core/web/media-type.ts';
import { siteOrigin } from '../../features/sites/site.ts';
import type { AcceptedDelta } from '../../features/uploads/deltas/accept-delta.ts';
import type { DeltaForm } from '../../features/uploads/deltas/operation-batches.ts';
import { formOfType } from '../../features/uploads/forms/form.ts';
import type { Uploads } from '../../features/uploads/open-uploads.ts';
import { Refusal } from '../../platform/refusal.ts';
import { readBodyType } from './body-type.ts';
import { deltaForms, deltaQuery } from './delta-body.ts';
import {
  addressesOf,
  type DescribeUploadNeeds,
  placeMembers,
  servedOrNot,
  submission,
} from './describe-upload.ts';
import { operation, tagged } from './operation.ts';
import { reportUpload } from './report-upload.ts';
import { answered, count, described, id, type Shown, text } from './shapes.ts';
import { countingLimits, takeBody } from './take-body.ts';
import { encodingHeader } from './upload-body.ts';
import { beginAttempt, type UploadNeeds } from './upload-operations.ts';
import { uploaderOf } from './uploader-of.ts';

/** The longest body, decompressed. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

export interface DeltaNeeds extends Omit<UploadNeeds, 'uploads'> {
  readonly uploads: Pick<Uploads, 'acceptDelta' | 'acceptSmallDelta' | 'newId' | 'recordAttempt'>;
}

const applied = z
  .object({
    domain: described(text, 'The hostname.'),
    sitemapName: described(text, 'Absent for the unnamed sitemap.').optional(),
    deltaId: id('delta'),
    generation: described(count, 'Of the sitemap; absent for a dry run.').optional(),
    dryRun: described(z.literal(true), 'Nothing was published.').optional(),
    added: described(count, 'URLs that the sitemap did not have.'),
    changed: described(count, 'URLs with another entry than before.'),
    unchanged: described(count, 'URLs whose entry was the same before.'),
    removed: described(count, 'URLs that were removed.'),
    missing: described(count, 'URLs to remove that the sitemap did not have.'),
    urlCount: described(count, 'Entries of the sitemap now.'),
    filesGenerated: described(count, 'Files with URLs; indexes are not counted.'),
    filesChanged: described(
      count,
      'Files that differ from those of the generation before. Deltas that came at once are one generation.',
    ),
    ...placeMembers,
  })
  .meta({ id: 'AppliedDelta' });

const deltaAnswer = answered(200, 'The sitemap is changed.', applied, {
  domain: 'sitemaps.example.com',
  sitemapName: 'products',
  deltaId: 'delta_2c4v8PXeY16He1Yn79PlDs',
  generation: 8,
  added: 0,
  changed: 1,
  unchanged: 0,
  removed: 1,
  missing: 0,
  urlCount: 24_999,
  filesGenerated: 3,
  filesChanged: 2,
  sitemapUrl: 'https://sitemaps.example.com/sitemap-products.xml',
  indexUrl: 'https://sitemaps.example.com/sitemap-index.xml',
  served: true,
});

export const deltaOperations = tagged('Uploads', [
  operation('post', '/api/sitemap/delta', {
    id: 'changeSitemap',
    access: { actions: ['upload'], to: 'named' },
    summary: 'Adds, changes and removes a few URLs of a sitemap',
    description:
      'Changes the entries that it names and leaves all others, or changes nothing. The cost is that of the rows: only files ' +
      'with a changed URL are written. In JSON, the members stand in the body or in the query, not in both. In lines they stand in ' +
      'the query, and `domain` is required there.',
    query: deltaQuery,
    headers: encodingHeader,
    body: { description: 'At most 100,000 operations in 32 MiB.', content: deltaForms },
    answer: deltaAnswer,
    errors: {
      UNAUTHORIZED: 'Also if the key was revoked, or has expired, during the request.',
      NOT_FOUND: 'The hostname is not registered for your account, or there is no such sitemap.',
      CONFLICT:
        'Or the guard of the domain refuses it, `ifGeneration` differs, URLs are missing with `onMissing=fail`, or a file of the sitemap is lost.',
      VALIDATION_ERROR: 'Or an entry breaks a rule, the plan has no room, or no URL would be left.',
      RATE_LIMIT_EXCEEDED: 'Or too many uploads are under way.',
      SERVICE_UNAVAILABLE:
        'Or an upload or a large delta of the sitemap is being published. Nothing was changed.',
    },
    async run(needs: DeltaNeeds, { caller, request, response, showOnce }) {
      const { uploads, uploadSlots } = needs;
      const uploader = uploaderOf(needs, caller);
      const attempt = beginAttempt(uploads.newId('delta'), caller, request);
      response.locals.uploadId = attempt.id;
      const maxBytes = Math.min(MAX_BODY_BYTES, needs.uploadLimits.maxBytes);
      const limits = { ...countingLimits(needs, attempt), maxBytes };
      const { record, shown } = showOnce((delta: AcceptedDelta) => describeDelta(needs, delta));
      const delta = await reportUpload(needs, response, attempt, () => {
        const head = readDeltaType(request);
        return takeBody(
          { uploadSlots, limits, attempt },
          { caller, request, response },
          {
            large: (body) => uploads.acceptDelta(uploader, attempt, head, body, record),
            small: (body) => uploads.acceptSmallDelta(uploader, attempt, head, body, record),
          },
        );
      });
      return shown(delta);
    },
  }),
]);

function readDeltaType(request: Request): { readonly form: DeltaForm; readonly query: Request['query'] } {
  const form = formOfType(contentTypeOf(request)?.type);
  if (form === 'json' || form === 'ndjson') return { form, query: readBodyType(request).query };
  throw new Refusal(
    'BAD_REQUEST',
    `Content-Type must be one of application/json, application/x-ndjson.${butIs(request)}`,
  );
}

function describeDelta(needs: DescribeUploadNeeds, delta: AcceptedDelta): Shown<typeof applied> {
  const { domain, sitemapName, deltaId, dryRun, generation, counts, urlCount, fileCount, filesChanged } =
    delta;
  return {
    domain: domain.hostname,
    ...(sitemapName !== DEFAULT_SITEMAP && { sitemapName }),
    deltaId,
    ...(dryRun ? { dryRun: true } : { generation }),
    ...counts,
    urlCount,
    filesGenerated: fileCount,
    filesChanged,
    ...addressesOf(siteOrigin(needs, domain.hostname, delta.isSecure), sitemapName, fileCount),
    ...servedOrNot(delta),
    ...submission(delta, needs.submitsUrls),
  };
}
