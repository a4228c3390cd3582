/** Uploads and sitemaps over HTTP (spec 4.5, spec D29). */
import { Router } from 'express';
import { insertAuditEvent } from '../accounts/audit-store.ts';
import type { Plans } from '../accounts/plans.ts';
import type { UploadSlots } from '../accounts/upload-slots.ts';
import type { Domain } from '../domains/domain.ts';
import { getOwnDomain } from '../domains/own-domain.ts';
import { isoSeconds } from '../platform/iso-seconds.ts';
import type { Log } from '../platform/log.ts';
import type { Database } from '../platform/postgres/database.ts';
import { givenSitemapName, shownSitemapName } from '../sitemap/file-names.ts';
import { siteOrigin } from '../sites/site.ts';
import { acceptUpload, type UploadOptions, type UploadWatch } from '../uploads/accept-upload.ts';
import { Attempt } from '../uploads/attempt.ts';
import { type DeleteSitemapOptions, deleteSitemap } from '../uploads/delete-sitemap.ts';
import { parseForm } from '../uploads/forms/form.ts';
import { listSitemaps, type SitemapSummary } from '../uploads/list-sitemaps.ts';
import type { RecordAttempt } from '../uploads/record-attempts.ts';
import { UPLOAD_PARAMETERS } from '../uploads/upload-members.ts';
import type { Cursors } from '../web/cursors.ts';
import { answer } from '../web/envelope.ts';
import { mediaType } from '../web/media-type.ts';
import { methodNotAllowed } from '../web/not-found.ts';
import { PAGE_PARAMETERS, readPage } from '../web/pages.ts';
import { type BodyLimits, receiveBody } from '../web/request-body.ts';
import { readSmallBody, smallBodyBytes } from '../web/small-body.ts';
import type { EmitRefusedUpload } from '../webhooks/emit-refused-uploads.ts';
import { type AnswerUploadOptions, answerUpload } from './answer-upload.ts';
import type { Authenticated } from './authenticate.ts';
import { addressesOf, describeUpload } from './describe-upload.ts';
import { reportUpload } from './report-upload.ts';
import type { ApiReports } from './reports.ts';

export interface SitemapRoutesOptions {
  readonly database: Database;
  readonly upload: UploadOptions;
  /** For small bodies. */
  readonly renderHere: UploadOptions['pool'];
  readonly deletion: DeleteSitemapOptions;
  readonly plans: Plans;
  readonly log: Log;
  readonly reports: ApiReports;
  readonly cursors: Cursors;
  readonly uploadSlots: UploadSlots;
  readonly uploadLimits: BodyLimits;
  readonly answer: AnswerUploadOptions;
  readonly emitRefused: EmitRefusedUpload;
  readonly recordAttempt: RecordAttempt;
}

export function sitemapRoutes(options: SitemapRoutesOptions, authenticated: Authenticated): Router {
  const originOf = ({ hostname, sslStatus }: Pick<Domain, 'hostname' | 'sslStatus'>) =>
    siteOrigin(options.answer, hostname, sslStatus === 'active');
  const router = Router({ caseSensitive: true, strict: true });

  router
    .route('/api/sitemap/generate')
    .post(
      authenticated(async (caller, request, response, record) => {
        const { accountId, keyId, session, plan } = caller;
        const uploader = { ...caller, allowance: options.plans[plan] };
        const uploadId = options.upload.newId('upload');
        response.locals.uploadId = uploadId;
        const source = {
          encoding: request.get('content-encoding') ?? null,
          userAgent: request.get('user-agent') ?? null,
          keyId,
          userId: session?.userId ?? null,
        };
        const bytesTotal = request.get('content-length');
        const attempt = new Attempt(uploadId, source, bytesTotal === undefined ? null : Number(bytesTotal));
        const received = (bytes: number) => {
          attempt.counts.bytesReceived += bytes;
          options.reports.received(bytes);
        };
        const limits = { ...options.uploadLimits, received };
        const watch: UploadWatch = {
          uploadId: (newId) => {
            response.locals.uploadId = newId;
          },
          published: (transaction, published) =>
            record(transaction, 200, describeUpload(options.answer, published)),
        };
        const upload = await reportUpload(options, response, attempt, () => {
          const head = { form: parseForm(mediaType(request)), query: request.query };
          // Slot or memory come before the body: a refused client that waits for 100 Continue never sends its body.
          const receive = () => receiveBody(request, response, limits);
          const bytes = smallBodyBytes(request);
          if (bytes === undefined) {
            const accept = () => acceptUpload(options.upload, uploader, attempt, head, receive(), watch);
            return options.uploadSlots.hold(accountId, accept, () => attempt.progress);
          }
          const here = { ...options.upload, pool: options.renderHere };
          return options.uploadSlots.holdMemory(accountId, bytes, async () => {
            // All of it first: a slow client costs the memory of its bytes, and nothing else.
            const body = await readSmallBody(request, receive());
            return acceptUpload(here, uploader, attempt, head, body, watch);
          });
        });
        await answerUpload(options.answer, response, upload);
      }, UPLOAD_PARAMETERS),
    )
    .all(methodNotAllowed('POST'));

  router
    .route('/api/domains/:id/sitemaps')
    .get(
      authenticated(async (caller, request, response) => {
        const { accountId } = caller;
        const domain = await getOwnDomain(options.database, accountId, String(request.params.id));
        const { rows, pagination } = await readPage(request, options.cursors, {
          accountId,
          list: `sitemaps of ${domain.id}`,
          read: (limit, after) => listSitemaps(options.database, domain.id, limit, after),
          positionOf: ({ name }) => name,
        });
        const sitemaps = rows.map((sitemap) => describeSitemap(sitemap, originOf(domain)));
        answer(response, 200, sitemaps, { pagination });
      }, PAGE_PARAMETERS),
    )
    .all(methodNotAllowed('GET', 'HEAD'));

  router
    .route('/api/domains/:id/sitemaps/:name')
    .delete(
      authenticated(async (caller, request, response) => {
        const domain = await getOwnDomain(options.database, caller.accountId, String(request.params.id));
        const given = String(request.params.name);
        const { id: domainId, hostname: subject } = domain;
        await deleteSitemap(options.deletion, domain, givenSitemapName(given), (transaction, generation) =>
          insertAuditEvent(transaction, caller, {
            ...{ action: 'sitemap.deleted', subject },
            details: { domainId, sitemapName: given, generation },
          }),
        );
        answer(response, 200, { domain: domain.hostname, name: given, deleted: true });
      }),
    )
    .all(methodNotAllowed('DELETE'));

  return router;
}

function describeSitemap(
  { name, generation, urlCount, fileCount, bytes, gzipBytes, lastUpdated }: SitemapSummary,
  origin: string,
) {
  return {
    name: shownSitemapName(name),
    generation,
    urlCount,
    files: fileCount,
    bytes,
    gzipBytes,
    lastUpdated: isoSeconds(lastUpdated),
    ...addressesOf(origin, name, fileCount),
  };
}
