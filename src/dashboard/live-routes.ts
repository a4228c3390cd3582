/** What moves in an account, for polling. */
import { Router } from 'express';
import { LRUCache } from 'lru-cache';
import { recentResult } from '../platform/concurrency/recent-result.ts';
import { isoSeconds } from '../platform/iso-seconds.ts';
import type { Queryable } from '../platform/postgres/database.ts';
import { shownSitemapName } from '../sitemap/file-names.ts';
import { answer } from '../web/envelope.ts';
import { methodNotAllowed } from '../web/not-found.ts';
import { type LiveState, readLive } from './live-store.ts';
import type { SignedIn } from './signed-in.ts';
import type { Live, RunningUpload } from './wire.ts';

export interface LiveRoutesOptions {
  readonly database: Queryable;
  readonly forMs?: number;
  readonly restFactor?: number;
}

/**
 * All dashboards of an account share an answer for so long. The statement takes 0.1 ms for most accounts, and
 * 3 ms for one of 1,000 domains.
 */
const FOR_MS = 1000;
/** With 100,000 domains it takes a second: then it takes a twentieth of a processor, however many look. */
const REST_FACTOR = 20;
/** Accounts, about 1 kB each. */
const MAX_REMEMBERED = 1000;

export function liveRoutes(
  { database, forMs = FOR_MS, restFactor = REST_FACTOR }: LiveRoutesOptions,
  signedIn: SignedIn,
): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const states = new LRUCache<string, () => Promise<LiveState>>({ max: MAX_REMEMBERED });
  const stateOf = (accountId: string) => {
    const known = states.get(accountId);
    if (known !== undefined) return known();
    const state = recentResult(() => readLive(database, accountId), { forMs, restFactor });
    states.set(accountId, state);
    return state();
  };

  router
    .route('/dashboard/api/live')
    .get(
      signedIn(async ({ accountId }, _request, response) => {
        const { now, running, version } = await stateOf(accountId);
        const uploads = running.map(describeRunning).sort(byStart);
        answer(response, 200, { now: isoSeconds(now), running: uploads, version } satisfies Live);
      }),
    )
    .all(methodNotAllowed('GET', 'HEAD'));

  return router;
}

function describeRunning({ hostname, progress }: LiveState['running'][number]): RunningUpload {
  const { id, domainId, sitemapName, startedAt, form, bytesReceived, urlCount, fileCount, rejected } =
    progress;
  return {
    ...{ id, domainId, hostname },
    sitemapName: sitemapName === null ? null : shownSitemapName(sitemapName),
    startedAt: isoSeconds(new Date(startedAt)),
    // A process of the former version does not tell it.
    bytesTotal: progress.bytesTotal ?? null,
    ...{ form, bytesReceived, urlCount, fileCount, rejected },
  };
}

const byStart = (left: RunningUpload, right: RunningUpload) =>
  left.startedAt.localeCompare(right.startedAt) || left.id.localeCompare(right.id);
