/** Uploads and sitemaps over HTTP (spec 4.5, spec D29). */
import { Router } from 'express';
import type { Plans } from '../accounts/plans.ts';
import type { UploadSlots } from '../accounts/upload-slots.ts';
import { getOwnDomain } from '../domains/own-domain.ts';
import { isoSeconds } from '../platform/iso-seconds.ts';
import type { Log } from '../platform/log.ts';
import type { Database } from '../platform/postgres/database.ts';
import {
  DEFAULT_SITEMAP,
  DOMAIN_INDEX_FILE,
  givenSitemapName,
  shownSitemapName,
  sitemapFileName,
} from '../sitemap/file-names.ts';
import { siteOrigin } from '../sites/site.ts';
import { type AcceptedUpload, acceptUpload, type UploadOptions } from '../uploads/accept-upload.ts';
import { type DeleteSitemapOptions, deleteSitemap } from '../uploads/delete-sitemap.ts';
import { listSitemaps, type SitemapSummary } from '../uploads/list-sitemaps.ts';
import { type PingOptions, pingSearch } from '../uploads/ping-search.ts';
import { UPLOAD_PARAMETERS } from '../uploads/upload-members.ts';
import { answer } from '../web/envelope.ts';
import { requireJson } from '../web/json-body.ts';
import { methodNotAllowed } from '../web/not-found.ts';
import { type BodyLimits, receiveBody } from '../web/request-body.ts';
import type { EmitRefusedUpload } from '../webhooks/emit-refused-uploads.ts';
import type { Authenticated } from './authenticate.ts';
import type { Cursors } from './cursors.ts';
import { PAGE_PARAMETERS, readPage } from './pages.ts';
import { reportUpload } from './report-upload.ts';
import type { ApiReports } from './reports.ts';

export interface SitemapRoutesOptions {
  readonly database: Database;
  readonly upload: UploadOptions;
  readonly deletion: DeleteSitemapOptions;
  readonly plans: Plans;
  readonly log: Log;
  readonly reports: ApiReports;
  readonly cursors: Cursors;
  readonly uploadSlots: UploadSlots;
  readonly uploadLimits: BodyLimits;
  /** As in https://{hostname}. */
  readonly publicOrigin: string;
  readonly ping: PingOptions;
  readonly emitRefused: EmitRefusedUpload;
  /** Whether the operator has configured where changed URLs are submitted. */
  readonly submitsUrls: boolean;
}

export function sitemapRoutes(options: SitemapRoutesOptions, authenticated: Authenticated): Router {
  const origin = (hostname: string) => siteOrigin(options.publicOrigin, hostname);
  const limits = { ...options.uploadLimits, received: options.reports.received };
  const router = Router({ caseSensitive: true, strict: true });

  router
    .route('/api/sitemap/generate')
    .post(
      authenticated(async (caller, request, response, record) => {
        const { accountId, keyId, plan } = caller;
        const uploader = { accountId, keyId, allowance: options.plans[plan] };
        const uploadId = options.upload.newId('upload');
        response.locals.uploadId = uploadId;
        const upload = await reportUpload(options, response, () => {
          requireJson(request);
          const head = { form: 'json', query: request.query } as const;
          // The slot comes before the body: a refused client that waits for 100 Continue never sends its body.
          return options.uploadSlots.hold(accountId, () =>
            acceptUpload(options.upload, uploader, uploadId, head, receiveBody(request, response, limits), {
              domain: ({ id, hostname }) => {
                Object.assign(response.locals, { domainId: id, hostname });
              },
              sitemapName: (name) => {
                response.locals.sitemapName = shownSitemapName(name);
              },
              uploadId: (newId) => {
                response.locals.uploadId = newId;
              },
              published: (transaction, published) =>
                record(transaction, 200, describeUpload(options, published, origin)),
            }),
          );
        });
        const ping = await pingFor(options, upload, origin);
        answer(response, 200, { ...describeUpload(options, upload, origin), ...ping });
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
        const sitemaps = rows.map((sitemap) => describeSitemap(sitemap, origin(domain.hostname)));
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
        await deleteSitemap(options.deletion, domain, givenSitemapName(given));
        answer(response, 200, { domain: domain.hostname, name: given, deleted: true });
      }),
    )
    .all(methodNotAllowed('DELETE'));

  return router;
}

type OriginOf = (hostname: string) => string;

function describeUpload({ submitsUrls }: SitemapRoutesOptions, upload: AcceptedUpload, origin: OriginOf) {
  const { domain, sitemapName, urlCount, fileCount, warnings } = upload;
  const named = sitemapName === DEFAULT_SITEMAP ? {} : { sitemapName };
  return {
    domain: domain.hostname,
    ...named,
    urlCount,
    filesGenerated: fileCount,
    ...addressesOf(origin(domain.hostname), sitemapName, fileCount),
    ...servedOrNot(upload),
    ...submission(upload, submitsUrls),
    ...(warnings.length > 0 && { warnings }),
  };
}

/** Not before the upload is published. */
async function pingFor(
  { ping, upload: { now } }: SitemapRoutesOptions,
  { domain, sitemapName, fileCount, pingSearch: isWanted }: AcceptedUpload,
  origin: OriginOf,
) {
  if (!isWanted) return {};
  const { sitemapUrl } = addressesOf(origin(domain.hostname), sitemapName, fileCount);
  const { status, pingedAt } = await pingSearch(ping, sitemapUrl, now);
  return { searchPing: { status, pingedAt: isoSeconds(pingedAt) } };
}

/** Spec D34. */
function servedOrNot({ isServed, domain }: AcceptedUpload) {
  if (isServed) return { served: true };
  const servedNote =
    `Nothing is served before ${domain.hostname} is verified. ` +
    `Point its CNAME record at its cnameTarget, then POST /api/domains/${domain.id}/verify.`;
  return { served: false, servedNote };
}

/** Spec D51. The number is never known yet. */
function submission({ indexNow }: AcceptedUpload, submitsUrls: boolean) {
  if (indexNow === undefined) return {};
  return { indexNow: { status: submitsUrls ? indexNow : 'skipped', urlsSubmitted: 0 } };
}

function describeSitemap(
  { name, urlCount, fileCount, bytes, gzipBytes, lastUpdated }: SitemapSummary,
  origin: string,
) {
  return {
    name: shownSitemapName(name),
    urlCount,
    files: fileCount,
    bytes,
    gzipBytes,
    lastUpdated: isoSeconds(lastUpdated),
    ...addressesOf(origin, name, fileCount),
  };
}

/** `indexUrl` is present when the sitemap has several files or a name (spec 4.5). */
function addressesOf(origin: string, sitemapName: string, fileCount: number) {
  const sitemapUrl = `${origin}/${sitemapFileName(sitemapName)}`;
  const hasIndexUrl = fileCount > 1 || sitemapName !== DEFAULT_SITEMAP;
  return { sitemapUrl, ...(hasIndexUrl && { indexUrl: `${origin}/${DOMAIN_INDEX_FILE}` }) };
}
