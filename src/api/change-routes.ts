/** What an upload changed, over HTTP (spec D49, spec D50). */
import type { Response } from 'express';
import { Router } from 'express';
import { findSitemapChanges, type SitemapChanges } from '../changes/comparison-store.ts';
import { getOwnDomain } from '../domains/own-domain.ts';
import { readLineParts } from '../platform/gzip/line-parts.ts';
import { isoSeconds } from '../platform/iso-seconds.ts';
import type { Database } from '../platform/postgres/database.ts';
import { Refusal } from '../platform/refusal.ts';
import type { ObjectStorage } from '../platform/storage/object-storage.ts';
import { givenSitemapName } from '../sitemap/file-names.ts';
import { changesKey } from '../sites/site.ts';
import { answer } from '../web/envelope.ts';
import { methodNotAllowed } from '../web/not-found.ts';
import type { Authenticated } from './authenticate.ts';
import { LINES_TYPE, type SendLines } from './send-lines.ts';

export interface ChangeRoutesOptions {
  readonly database: Database;
  readonly storage: Pick<ObjectStorage, 'get'>;
  readonly sendLines: SendLines;
}

const JSON_TYPE = 'application/json';
const RETRY_AFTER_SECONDS = 5;

export function changeRoutes(
  { database, storage, sendLines }: ChangeRoutesOptions,
  authenticated: Authenticated,
): Router {
  const router = Router({ caseSensitive: true, strict: true });

  const sendAll = async (accountId: string, { uploadId, ended }: SitemapChanges, response: Response) => {
    if (ended?.state !== 'compared') throw nothingToList(ended?.state);
    const keyOf = (n: number) => changesKey(uploadId, n);
    await sendLines(accountId, response, readLineParts(storage, keyOf, ended.parts));
  };

  router
    .route('/api/domains/:id/sitemaps/:name/changes')
    .get(
      authenticated(async (caller, request, response) => {
        const domain = await getOwnDomain(database, caller.accountId, String(request.params.id));
        const name = givenSitemapName(String(request.params.name));
        const changes = await findSitemapChanges(database, domain.id, name);
        if (changes === undefined) throw new Refusal('NOT_FOUND', 'There is no such sitemap.');
        response.vary('Accept');
        if (request.accepts([JSON_TYPE, LINES_TYPE]) === LINES_TYPE) {
          await sendAll(caller.accountId, changes, response);
        } else answer(response, 200, describeChanges(changes));
      }),
    )
    .all(methodNotAllowed('GET', 'HEAD'));

  return router;
}

function describeChanges({ uploadId, formerUploadId, ended }: SitemapChanges) {
  const counted = ended?.state === 'compared' ? ended.counts : { added: null, changed: null, removed: null };
  return {
    uploadId,
    formerUploadId,
    state: ended?.state ?? 'pending',
    ...counted,
    comparedAt: ended === undefined ? null : isoSeconds(ended.endedAt),
    samples: ended?.samples ?? { added: [], changed: [], removed: [] },
  };
}

function nothingToList(state: 'first' | 'unknown' | undefined): Refusal {
  if (state === undefined) {
    const retry = { retryAfterSeconds: RETRY_AFTER_SECONDS, details: { state: 'pending' } };
    return new Refusal('CONFLICT', 'The upload is not compared yet. Try again in a moment.', retry);
  }
  const why = state === 'first' ? 'There was no upload before this one.' : 'The former upload is not known.';
  return new Refusal('CONFLICT', `${why} So there is no list of changes.`, { details: { state } });
}
