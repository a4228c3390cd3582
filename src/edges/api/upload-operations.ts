/** The operation that uploads a list of URLs (spec 4.5). */
import type { Request } from 'express';
import type { BodyLimits } from '../../core/web/request-body.ts';
import type { Caller } from '../../features/accounts/key-store.ts';
import type { Plans } from '../../features/accounts/plans.ts';
import type { UploadSlots } from '../../features/accounts/upload-slots.ts';
import type { AcceptedUpload, UploadWatch } from '../../features/uploads/accept-upload.ts';
import { Attempt } from '../../features/uploads/attempt.ts';
import type { Uploads } from '../../features/uploads/open-uploads.ts';
import type { EmitRefusedUpload } from '../../features/webhooks/emit-refused-uploads.ts';
import type { Log } from '../../platform/log.ts';
import { readBodyType } from './body-type.ts';
import { describeBeforePing, type UploadAnswerNeeds, uploadAnswer, withPing } from './describe-upload.ts';
import { operation, tagged } from './operation.ts';
import { reportUpload } from './report-upload.ts';
import type { ApiReports } from './reports.ts';
import { countingLimits, takeBody } from './take-body.ts';
import { encodingHeader, uploadForms, uploadQuery } from './upload-body.ts';
import { uploaderOf } from './uploader-of.ts';

export interface UploadNeeds extends UploadAnswerNeeds {
  readonly uploads: Pick<Uploads, 'accept' | 'acceptSmall' | 'newId' | 'recordAttempt'>;
  readonly plans: Plans;
  readonly log: Log;
  readonly reports: ApiReports;
  readonly uploadSlots: UploadSlots;
  readonly uploadLimits: BodyLimits;
  readonly emitRefused: EmitRefusedUpload;
}

export const uploadOperations = tagged('Uploads', [
  operation('post', '/api/sitemap/generate', {
    id: 'uploadSitemap',
    access: { actions: ['upload'], to: 'named' },
    summary: 'Uploads a list of URLs',
    description:
      'Replaces the sitemap of its name as a whole, or changes nothing. In JSON, the members stand in the body or in ' +
      'the query, not in both. In the other forms they stand in the query, and `domain` is required there.',
    query: uploadQuery,
    headers: encodingHeader,
    body: {
      description:
        'The entries, in one of six forms. In JSON they may also be an array alone, with `domain` in the query.',
      content: uploadForms,
    },
    answer: uploadAnswer,
    errors: {
      UNAUTHORIZED: 'Also if the key was revoked, or has expired, during the upload.',
      NOT_FOUND: 'The hostname is not registered for your account.',
      CONFLICT: 'Or the guard of the domain holds the upload, or `ifGeneration` differs.',
      VALIDATION_ERROR:
        'Or an entry breaks a rule: `errors` has up to 100 violations. Or the plan has no room.',
      RATE_LIMIT_EXCEEDED: 'Or too many uploads are under way.',
      SERVICE_UNAVAILABLE: 'The process ends, and the body was not complete in time. Nothing was published.',
    },
    async run(needs: UploadNeeds, { caller, request, response, showOnce }) {
      const { uploads, uploadSlots } = needs;
      const uploader = uploaderOf(needs, caller);
      const attempt = beginAttempt(uploads.newId('upload'), caller, request);
      response.locals.uploadId = attempt.id;
      const limits = countingLimits(needs, attempt);
      const { record, shown } = showOnce((upload: AcceptedUpload) => describeBeforePing(needs, upload));
      const watch: UploadWatch = {
        uploadId: (newId) => {
          response.locals.uploadId = newId;
        },
        published: record,
      };
      const upload = await reportUpload(needs, response, attempt, () => {
        const head = readBodyType(request);
        return takeBody(
          { uploadSlots, limits, attempt },
          { caller, request, response },
          {
            large: (body) => uploads.accept(uploader, attempt, head, body, watch),
            small: (body) => uploads.acceptSmall(uploader, attempt, head, body, watch),
          },
        );
      });
      return withPing(needs, upload, shown(upload));
    },
  }),
]);

export function beginAttempt(uploadId: string, { keyId, session }: Caller, request: Request): Attempt {
  const source = {
    encoding: request.get('content-encoding') ?? null,
    userAgent: request.get('user-agent') ?? null,
    keyId,
    userId: session?.userId ?? null,
  };
  const bytesTotal = request.get('content-length');
  return new Attempt(uploadId, source, bytesTotal === undefined ? null : Number(bytesTotal));
}
