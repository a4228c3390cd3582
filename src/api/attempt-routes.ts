/** Attempts to upload over HTTP, those under way and those that have ended (spec D64). */
import { Router } from 'express';
import { getOwnDomain } from '../domains/own-domain.ts';
import { isoSeconds } from '../platform/iso-seconds.ts';
import type { Database } from '../platform/postgres/database.ts';
import { Refusal } from '../platform/refusal.ts';
import { shownSitemapName } from '../sitemap/file-names.ts';
import { type AttemptSummary, findAttempt, listAttempts } from '../uploads/attempt-store.ts';
import type { Cursors } from '../web/cursors.ts';
import { answer } from '../web/envelope.ts';
import { methodNotAllowed } from '../web/not-found.ts';
import { PAGE_PARAMETERS, readPage } from '../web/pages.ts';
import type { Authenticated } from './authenticate.ts';

export interface AttemptRoutesOptions {
  readonly database: Database;
  readonly cursors: Cursors;
}

export function attemptRoutes(
  { database, cursors }: AttemptRoutesOptions,
  authenticated: Authenticated,
): Router {
  const router = Router({ caseSensitive: true, strict: true });

  router
    .route('/api/domains/:id/uploads')
    .get(
      authenticated(async (caller, request, response) => {
        const { accountId } = caller;
        const { id: domainId } = await getOwnDomain(database, accountId, String(request.params.id));
        const { rows, pagination } = await readPage(request, cursors, {
          accountId,
          list: `uploads of ${domainId}`,
          read: (limit, before) =>
            listAttempts(database, { accountId, domainId }, limit, before ? Number(before) : undefined),
          positionOf: ({ position }) => String(position),
        });
        answer(response, 200, rows.map(describeAttempt), { pagination });
      }, PAGE_PARAMETERS),
    )
    .all(methodNotAllowed('GET', 'HEAD'));

  router
    .route('/api/uploads/:id')
    .get(
      authenticated(async (caller, request, response) => {
        const attempt = await findAttempt(database, caller.accountId, String(request.params.id));
        if (attempt === undefined) throw new Refusal('NOT_FOUND', 'There is no such upload.');
        answer(response, 200, describeAttempt(attempt));
      }),
    )
    .all(methodNotAllowed('GET', 'HEAD'));

  return router;
}

function describeAttempt(attempt: AttemptSummary) {
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
    ...{ generation: seq, code, message, errors, errorCount },
    ...{ userAgent: attempt.userAgent, keyId: attempt.keyId, userId: attempt.userId },
  };
}
