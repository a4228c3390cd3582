/** The generations of a sitemap, and the way back to one of them, over HTTP (spec D63). */
import { Router } from 'express';
import { z } from 'zod';
import { insertAuditEvent } from '../accounts/audit-store.ts';
import type { Plans } from '../accounts/plans.ts';
import { getOwnDomain } from '../domains/own-domain.ts';
import type { NewId } from '../platform/ids.ts';
import { isoSeconds } from '../platform/iso-seconds.ts';
import type { Database } from '../platform/postgres/database.ts';
import { invalidField, Refusal } from '../platform/refusal.ts';
import { givenSitemapName, shownSitemapName } from '../sitemap/file-names.ts';
import { type GenerationSummary, listGenerations } from '../uploads/list-generations.ts';
import type { PublishOptions } from '../uploads/publish-generation.ts';
import { type RolledBack, rollBack } from '../uploads/roll-back.ts';
import { parseMember } from '../uploads/upload-members.ts';
import { findLiveGeneration } from '../uploads/upload-store.ts';
import type { Cursors } from '../web/cursors.ts';
import { answer } from '../web/envelope.ts';
import { readMembers } from '../web/json-body.ts';
import { methodNotAllowed } from '../web/not-found.ts';
import { PAGE_PARAMETERS, readPage } from '../web/pages.ts';
import type { Authenticated } from './authenticate.ts';
import { type DescribeUploadOptions, describeUpload } from './describe-upload.ts';

export interface GenerationRoutesOptions {
  readonly database: Database;
  readonly publish: PublishOptions & { readonly newId: NewId };
  readonly plans: Plans;
  readonly cursors: Cursors;
  readonly maxBodyBytes: number;
  readonly answer: DescribeUploadOptions;
}

export function generationRoutes(options: GenerationRoutesOptions, authenticated: Authenticated): Router {
  const { database } = options;
  const router = Router({ caseSensitive: true, strict: true });

  router
    .route('/api/domains/:id/sitemaps/:name/generations')
    .get(
      authenticated(async (caller, request, response) => {
        const { accountId } = caller;
        const { id: domainId } = await getOwnDomain(database, accountId, String(request.params.id));
        const sitemapName = givenSitemapName(String(request.params.name));
        if ((await findLiveGeneration(database, domainId, sitemapName)) === undefined) {
          throw new Refusal('NOT_FOUND', 'There is no such sitemap.');
        }
        const { rows, pagination } = await readPage(request, options.cursors, {
          accountId,
          list: `generations of ${domainId}/${sitemapName}`,
          read: (limit, before) =>
            listGenerations(database, { domainId, sitemapName }, limit, before ? Number(before) : undefined),
          positionOf: ({ seq }) => String(seq),
        });
        answer(response, 200, rows.map(describeGeneration), { pagination });
      }, PAGE_PARAMETERS),
    )
    .all(methodNotAllowed('GET', 'HEAD'));

  router
    .route('/api/domains/:id/sitemaps/:name/rollback')
    .post(
      authenticated(async (caller, request, response, record) => {
        const { accountId, plan } = caller;
        const domain = await getOwnDomain(database, accountId, String(request.params.id));
        const sitemapName = givenSitemapName(String(request.params.name));
        const names = ['generation', 'ifGeneration'];
        const members = await readMembers(request, response, names, options.maxBodyBytes);
        const generation = parseGeneration(members.get('generation'));
        const ifGeneration = parseMember('ifGeneration', members.get('ifGeneration') ?? null) ?? undefined;
        const terms = { ifGeneration };
        const uploader = { ...caller, allowance: options.plans[plan] };
        const described = (back: RolledBack) =>
          describeUpload(options.answer, { ...back, domain, sitemapName });
        const back = await rollBack(
          options.publish,
          uploader,
          domain,
          sitemapName,
          generation,
          terms,
          async (transaction, done) => {
            await insertAuditEvent(transaction, caller, {
              ...{ action: 'sitemap.rolled_back', subject: domain.hostname },
              details: {
                domainId: domain.id,
                sitemapName: shownSitemapName(sitemapName),
                ...{ restores: generation, generation: done.generation },
              },
            });
            await record(transaction, 200, described(done));
          },
        );
        answer(response, 200, described(back));
      }),
    )
    .all(methodNotAllowed('POST'));

  return router;
}

function parseGeneration(value: unknown): number {
  if (value === undefined || value === null) throw invalidField('generation', value, 'is required');
  const message = 'must be a whole number, at least 1';
  const parsed = z.int32(message).min(1, message).safeParse(value);
  if (!parsed.success) throw invalidField('generation', value, message);
  return parsed.data;
}

function describeGeneration(generation: GenerationSummary) {
  const { seq, kind, uploadId, urlCount, fileCount, gzipBytes, publishedAt, isLive, restores, canRollBack } =
    generation;
  return {
    generation: seq,
    kind,
    uploadId,
    urlCount,
    filesGenerated: fileCount,
    gzipBytes,
    publishedAt: isoSeconds(publishedAt),
    live: isLive,
    restores,
    canRollBack,
  };
}
