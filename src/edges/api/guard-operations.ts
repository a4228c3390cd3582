/** Operations that publish or discard an upload that a guard holds, and list the rejected entries of an upload (spec D59, spec D61). */
import { z } from 'zod';
import { shownSitemapName } from '../../core/sitemap/file-names.ts';
import { type AuditEntry, insertAuditEvent } from '../../features/accounts/audit-store.ts';
import type { Plans } from '../../features/accounts/plans.ts';
import type { AcceptedUpload } from '../../features/uploads/accept-upload.ts';
import type { Uploads } from '../../features/uploads/open-uploads.ts';
import { memberSchemas, parseMember } from '../../features/uploads/upload-members.ts';
import type { Log } from '../../platform/log.ts';
import { Refusal } from '../../platform/refusal.ts';
import { describeBeforePing, type UploadAnswerNeeds, uploadAnswer, withPing } from './describe-upload.ts';
import { operation, tagged } from './operation.ts';
import { answered, answeredLines, described, done, id, jsonBody, text } from './shapes.ts';
import { parseIfGeneration, replaces } from './upload-body.ts';
import { uploaderOf } from './uploader-of.ts';

export interface GuardNeeds extends UploadAnswerNeeds {
  readonly uploads: Pick<Uploads, 'publishHeld' | 'discardHeld' | 'findRejects'>;
  readonly plans: Plans;
  readonly log: Log;
}

export const guardOperations = tagged('Uploads', [
  operation('get', '/api/uploads/{id}/rejects', {
    id: 'listRejects',
    access: { actions: ['read', 'upload'], to: 'upload' },
    summary: 'Lists the rejected entries of an upload',
    description: 'At most 100,000, in the order of the upload. They are kept for 24 hours.',
    answer: answeredLines(
      'A violation in each line.',
      'In each line `field`, `value`, `message`, `index`, and `line` for forms with lines.',
      '{"line":17,"index":16,"field":"loc","value":"www.example.com/","message":"must be an absolute URL"}\n',
    ),
    errors: {
      NOT_FOUND: 'There is no such upload, or it has no rejected entries.',
      SERVICE_UNAVAILABLE: 'You read too many lists at once.',
    },
    async run({ uploads }: GuardNeeds, { caller, path }) {
      const lines = await uploads.findRejects(caller.accountId, path.id);
      if (lines === undefined) throw new Refusal('NOT_FOUND', 'There is no list of rejected entries.');
      return lines;
    },
  }),
  operation('post', '/api/uploads/{id}/publish', {
    id: 'publishUpload',
    access: { actions: ['upload'], to: 'upload' },
    summary: 'Publishes an upload that the guard of its domain holds',
    description: 'Nothing is sent again. It can be repeated: the answer is the same.',
    body: jsonBody(
      z.strictObject({
        force: described(memberSchemas.force, "Publishes in spite of the domain's guard.").optional(),
        ifGeneration: replaces,
      }),
      { force: true },
    ),
    answer: uploadAnswer,
    errors: {
      NOT_FOUND: 'Your account has no such upload.',
      CONFLICT: 'Or the upload is no longer held, the guard still holds it, or `ifGeneration` differs.',
    },
    async run(needs: GuardNeeds, { caller, path: { id: uploadId }, response, members, showOnce }) {
      const { accountId, keyId } = caller;
      const given = await members();
      const terms = {
        force: parseMember('force', given.get('force') ?? null) ?? false,
        ifGeneration: parseIfGeneration(given),
      };
      const uploader = uploaderOf(needs, caller);
      const { record, shown } = showOnce((upload: AcceptedUpload) => describeBeforePing(needs, upload));
      const upload = await needs.uploads.publishHeld(
        uploader,
        uploadId,
        terms,
        async (transaction, published) => {
          if (terms.force) await insertAuditEvent(transaction, caller, forcedEntryOf(published));
          await record(transaction, published);
        },
      );
      const { requestId } = response.locals;
      const { hostname } = upload.domain;
      needs.log.info({ requestId, uploadId, accountId, keyId, hostname }, 'held upload published');
      return withPing(needs, upload, shown(upload));
    },
  }),
  operation('post', '/api/uploads/{id}/discard', {
    id: 'discardUpload',
    access: { actions: ['upload'], to: 'upload' },
    summary: 'Discards an upload that the guard of its domain holds',
    description: 'The sitemap stays as it is. It can be repeated.',
    answer: answered(
      200,
      'The upload is no longer held.',
      z.object({ id: id('upload'), discarded: done, message: text }),
      {
        id: 'upload_2c4v8PXeY16He1Yn79PlDs',
        discarded: true,
        message: 'The upload is discarded. The sitemap is as it was.',
      },
    ),
    errors: {
      NOT_FOUND: 'Your account has no such held upload.',
      CONFLICT: 'The upload has been published.',
    },
    async run({ uploads, log }: GuardNeeds, { caller, path: { id: uploadId }, response }) {
      await uploads.discardHeld(caller, uploadId, (transaction, { domainId, hostname, sitemapName }) =>
        insertAuditEvent(transaction, caller, {
          action: 'upload.discarded',
          subject: hostname,
          details: { domainId, sitemapName: shownSitemapName(sitemapName), uploadId },
        }),
      );
      const { requestId } = response.locals;
      log.info({ requestId, uploadId, accountId: caller.accountId }, 'held upload discarded');
      const message = 'The upload is discarded. The sitemap is as it was.';
      return { id: uploadId, discarded: true as const, message };
    },
  }),
]);

function forcedEntryOf(upload: AcceptedUpload): AuditEntry {
  const { domain, uploadId, generation, urlCount } = upload;
  const sitemapName = shownSitemapName(upload.sitemapName);
  const details = { domainId: domain.id, sitemapName, uploadId, generation, urlCount };
  return { action: 'upload.forced', subject: domain.hostname, details };
}
