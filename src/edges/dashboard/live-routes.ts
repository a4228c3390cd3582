/** The route that pages poll: uploads under way, and a version that differs after a change. */
import type { Router } from 'express';
import { LRUCache } from 'lru-cache';
import { shownSitemapName } from '../../core/sitemap/file-names.ts';
import { type Answer, sendAnswer, successAnswer } from '../../core/web/envelope.ts';
import { routesOf } from '../../core/web/routes-of.ts';
import type { Activity } from '../../features/uploads/activity-store.ts';
import type { Uploads } from '../../features/uploads/open-uploads.ts';
import { recentResult } from '../../platform/concurrency/recent-result.ts';
import { isoSeconds } from '../../platform/iso-seconds.ts';
import { mostEntries } from '../../platform/most-entries.ts';
import type { SignedIn } from './signed-in.ts';
import type { Live, RunningUpload } from './wire.ts';

export interface LiveRoutesOptions {
  readonly uploads: Pick<Uploads, 'readActivity'>;
  readonly forMs?: number;
  readonly restFactor?: number;
}

/**
 * All dashboards of an account share an answer for this time. The statement takes 0.1 ms for most accounts, and 3 ms for an account of
 * 1,000 domains.
 */
const FOR_MS = 1000;
/** A slow answer is shared for 20 times its duration. So the answer for 100,000 domains, which takes a second, uses 5 % of a processor. */
const REST_FACTOR = 20;
/** The most accounts with a shared answer, about 1 kB each. */
const MAX_REMEMBERED = 1000;

export function liveRoutes(
  { uploads, forMs = FOR_MS, restFactor = REST_FACTOR }: LiveRoutesOptions,
  signedIn: SignedIn,
): Router {
  const answers = new LRUCache<string, () => Promise<Answer>>(mostEntries(MAX_REMEMBERED));
  const answerOf = (accountId: string) => {
    const known = answers.get(accountId);
    if (known !== undefined) return known();
    const read = async () => answerWith(await uploads.readActivity(accountId));
    const recent = recentResult(read, { forMs, restFactor });
    answers.set(accountId, recent);
    return recent();
  };
  return routesOf({
    '/dashboard/api/live': {
      get: signedIn(
        async ({ accountId }, _request, response) => sendAnswer(response, await answerOf(accountId)),
        {
          isPolled: true,
        },
      ),
    },
  });
}

function answerWith({ now, running, version }: Activity): Answer {
  const shown = running.map(describeRunning).sort(byStart);
  return successAnswer(200, { now: isoSeconds(now), running: shown, version } satisfies Live);
}

function describeRunning({ hostname, progress }: Activity['running'][number]): RunningUpload {
  const { id, domainId, sitemapName, startedAt, form, bytesReceived, urlCount, fileCount, rejected } =
    progress;
  return {
    ...{ id, domainId, hostname },
    sitemapName: sitemapName === null ? null : shownSitemapName(sitemapName),
    startedAt: isoSeconds(new Date(startedAt)),
    // A process of the previous version does not write `bytesTotal`.
    bytesTotal: progress.bytesTotal ?? null,
    ...{ form, bytesReceived, urlCount, fileCount, rejected },
  };
}

const byStart = (left: RunningUpload, right: RunningUpload) =>
  left.startedAt.localeCompare(right.startedAt) || left.id.localeCompare(right.id);
