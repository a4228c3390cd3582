/** Uploads that a guard holds back, and lists of rejected entries, over HTTP (spec D59, spec D61). */
import { type Request, type Response, Router } from 'express';
import { insertAuditEvent } from '../accounts/audit-store.ts';
import type { Caller } from '../accounts/key-store.ts';
import type { Plans } from '../accounts/plans.ts';
import { readLineParts } from '../platform/gzip/line-parts.ts';
import type { Log } from '../platform/log.ts';
import type { Transaction } from '../platform/postgres/database.ts';
import { Refusal } from '../platform/refusal.ts';
import type { ObjectStorage } from '../platform/storage/object-storage.ts';
import { shownSitemapName } from '../sitemap/file-names.ts';
import { rejectsKey } from '../sites/rejects.ts';
import type { AcceptedUpload } from '../uploads/accept-upload.ts';
import { type PublishHeldOptions, publishHeldUpload } from '../uploads/publish-held-upload.ts';
import type { UploadTerms } from '../uploads/publish-upload.ts';
import { findRejects } from '../uploads/rejects-store.ts';
import { parseMember } from '../uploads/upload-members.ts';
import { readMembers } from '../web/json-body.ts';
import { methodNotAllowed } from '../web/not-found.ts';
import { type AnswerUploadOptions, answerUpload } from './answer-upload.ts';
import type { Authenticated } from './authenticate.ts';
import { describeUpload } from './describe-upload.ts';
import type { SendLines } from './send-lines.ts';

export interface GuardRoutesOptions {
  readonly publish: PublishHeldOptions;
  readonly answer: AnswerUploadOptions;
  readonly storage: Pick<ObjectStorage, 'get'>;
  readonly sendLines: SendLines;
  readonly plans: Plans;
  readonly maxBodyBytes: number;
  readonly log: Log;
}

export function guardRoutes(options: GuardRoutesOptions, authenticated: Authenticated): Router {
  const { database } = options.publish;
  const router = Router({ caseSensitive: true, strict: true });

  router
    .route('/api/uploads/:id/publish')
    .post(
      authenticated(async (caller, request, response, record) => {
        const { accountId, keyId, plan } = caller;
        const terms = await readTerms(request, response, options.maxBodyBytes);
        const uploader = { ...caller, allowance: options.plans[plan] };
        const uploadId = String(request.params.id);
        const upload = await publishHeldUpload(
          options.publish,
          uploader,
          uploadId,
          terms,
          async (transaction, published) => {
            if (terms.force) await auditForced(transaction, caller, published);
            await record(transaction, 200, describeUpload(options.answer, published));
          },
        );
        const { requestId } = response.locals;
        const { hostname } = upload.domain;
        options.log.info({ requestId, uploadId, accountId, keyId, hostname }, 'held upload published');
        await answerUpload(options.answer, response, upload);
      }),
    )
    .all(methodNotAllowed('POST'));

  router
    .route('/api/uploads/:id/rejects')
    .get(
      authenticated(async ({ accountId }, request, response) => {
        const list = await findRejects(database, accountId, String(request.params.id));
        if (list === undefined) throw new Refusal('NOT_FOUND', 'There is no list of rejected entries.');
        const keyOf = (n: number) => rejectsKey(list.prefix, n);
        await options.sendLines(accountId, response, readLineParts(options.storage, keyOf, list.parts));
      }),
    )
    .all(methodNotAllowed('GET', 'HEAD'));

  return router;
}

function auditForced(transaction: Transaction, caller: Caller, upload: AcceptedUpload): Promise<void> {
  const { domain, uploadId, generation, urlCount } = upload;
  const sitemapName = shownSitemapName(upload.sitemapName);
  return insertAuditEvent(transaction, caller, {
    ...{ action: 'upload.forced', subject: domain.hostname },
    details: { domainId: domain.id, sitemapName, uploadId, generation, urlCount },
  });
}

async function readTerms(request: Request, response: Response, maxBytes: number): Promise<UploadTerms> {
  const members = await readMembers(request, response, ['force', 'ifGeneration'], maxBytes);
  return {
    force: parseMember('force', members.get('force') ?? null) ?? false,
    ifGeneration: parseMember('ifGeneration', members.get('ifGeneration') ?? null) ?? undefined,
  };
}
