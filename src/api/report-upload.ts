/** Counts and logs an upload, however it ends. Failures and clients that went away are logged by `error-answers.ts`. */
import type { Response } from 'express';
import type { Log } from '../platform/log.ts';
import { Refusal } from '../platform/refusal.ts';
import type { AcceptedUpload, UploadParts } from '../uploads/accept-upload.ts';
import type { Staging } from '../uploads/staging.ts';
import type { ApiReports, UploadOutcome } from './reports.ts';
import { ClientGone } from './request-body.ts';

interface UploadReportParts extends UploadParts {
  readonly log: Log;
  readonly reports: ApiReports;
}

/** Runs `accept` with parts that tell which upload it is. */
export async function reportUpload(
  parts: UploadReportParts,
  response: Response,
  accept: (parts: UploadParts) => Promise<AcceptedUpload>,
): Promise<AcceptedUpload> {
  const { log, reports } = parts;
  const { requestId } = response.locals;
  const startedAt = performance.now();
  let staging: Staging | undefined;
  const openStaging: UploadParts['openStaging'] = async (accountId) => {
    staging = await parts.openStaging(accountId);
    response.locals.uploadId = staging.uploadId;
    return staging;
  };
  const end = (outcome: UploadOutcome, urlCount = 0) => {
    const seconds = (performance.now() - startedAt) / 1000;
    reports.uploadEnds(outcome, { seconds, urlCount });
    return { requestId, uploadId: staging?.uploadId, durationMs: Math.round(seconds * 1000) };
  };

  reports.uploadBegins();
  try {
    const upload = await accept({ ...parts, openStaging });
    const sum = (member: 'bytes' | 'gzipBytes') =>
      (staging?.files ?? []).reduce((total, file) => total + file[member], 0);
    log.info(
      {
        ...end('accepted', upload.urlCount),
        hostname: upload.domain.hostname,
        urls: upload.urlCount,
        files: upload.fileCount,
        bytes: sum('bytes'),
        gzipBytes: sum('gzipBytes'),
      },
      'upload accepted',
    );
    return upload;
  } catch (error) {
    if (error instanceof Refusal) log.info({ ...end('refused'), code: error.code }, 'upload refused');
    else end(error instanceof ClientGone ? 'abandoned' : 'failed');
    throw error;
  }
}
