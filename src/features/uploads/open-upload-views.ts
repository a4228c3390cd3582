/** Opens the verbs that read uploads and change nothing. */
import { readLineParts } from '../../platform/gzip/line-parts.ts';
import { verbsOn } from '../../platform/verb.ts';
import type { UploadFilePlaces } from '../sites/read-upload-file.ts';
import { rejectsKey } from '../sites/rejects.ts';
import { readActivity } from './activity-store.ts';
import { findAttempt, listAttempts } from './attempt-store.ts';
import { findPeaks } from './find-peaks.ts';
import { findPlace } from './find-place.ts';
import { listGenerations } from './list-generations.ts';
import { findSitemap, listSitemaps } from './list-sitemaps.ts';
import { findStoredUrls, listLiveFiles } from './live-file-store.ts';
import { readUrls } from './read-urls.ts';
import { findRejects } from './rejects-store.ts';
import { findNow, findSchedule, listRuns, listSchedules } from './schedules/schedule-store.ts';
import { listParts } from './sessions/part-store.ts';
import { findSession, listSessions } from './sessions/session-store.ts';
import { sumUsage } from './sum-usage.ts';
import { sumUploadDays } from './upload-day-store.ts';
import { findLiveGeneration } from './upload-store.ts';

export function openUploadViews({ database, storage }: UploadFilePlaces) {
  return {
    ...verbsOn(database, {
      ...{ listSitemaps, findSitemap, listGenerations, findLiveGeneration, listLiveFiles, findStoredUrls },
      ...{ listAttempts, findAttempt, findPlace, readActivity, findPeaks, sumUsage, sumDays: sumUploadDays },
      ...{ findSession, listSessions, listParts, findNow, findSchedule, listSchedules, listRuns },
    }),
    ...verbsOn({ database, storage }, { readUrls }),
    /** Returns the lines of the list of rejected entries of an upload. Undefined: there is no such list. */
    findRejects: async (accountId: string, uploadId: string) => {
      const list = await findRejects(database, accountId, uploadId);
      return list && readLineParts(storage, (n) => rejectsKey(list.prefix, n), list.parts);
    },
  };
}
