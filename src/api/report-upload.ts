/** Counts, logs and records an upload, however it ends, and tells webhooks of a refusal. `error-answers.ts` logs failures and clients that went away. */
import type { Response } from 'express';
import type { Caller } from '../accounts/key-store.ts';
import type { Log } from '../platform/log.ts';
import { Refusal } from '../platform/refusal.ts';
import type { AcceptedUpload } from '../uploads/accept-upload.ts';
import type { Attempt } from '../uploads/attempt.ts';
import type { RecordAttempt } from '../uploads/record-attempts.ts';
import { ClientGone } from '../web/request-body.ts';
import type { EmitRefusedUpload } from '../webhooks/emit-refused-uploads.ts';
import type { ApiReports, UploadOutcome } from './reports.ts';

interface UploadReportOptions {
  readonly log: Log;
  readonly reports: ApiReports;
  readonly emitRefused: EmitRefusedUpload;
  readonly recordAttempt: RecordAttempt;
}

/**
 * Runs `accept`. `response.locals` has the caller, `requestId` and `uploadId`; `accept` adds `hostname`, `domainId` and
 * `sitemapName`, and may change `uploadId`.
 */
export async function reportUpload(
  { log, reports, emitRefused, recordAttempt }: UploadReportOptions,
  response: Response,
  attempt: Attempt,
  accept: () => Promise<AcceptedUpload>,
): Promise<AcceptedUpload> {
  const { requestId } = response.locals;
  const { accountId, keyId }: Caller = response.locals.caller;
  const startedAt = performance.now();
  const end = (outcome: UploadOutcome, urlCount = 0) => {
    const seconds = (performance.now() - startedAt) / 1000;
    reports.uploadEnds(outcome, { seconds, urlCount });
    // Only now: both may have come, or changed, since the beginning.
    const { uploadId, hostname } = response.locals;
    return { requestId, uploadId, accountId, keyId, hostname, durationMs: Math.round(seconds * 1000) };
  };

  reports.uploadBegins();
  try {
    const upload = await accept();
    const { urlCount, fileCount, bytes, gzipBytes } = upload;
    log.info(
      {
        ...end('accepted', urlCount),
        urls: urlCount,
        files: fileCount,
        bytes,
        gzipBytes,
      },
      'upload accepted',
    );
    return upload;
  } catch (error) {
    if (error instanceof Refusal) {
      const field = error.options.details?.field;
      log.info({ ...end('refused'), code: error.code, field }, 'upload refused');
      const { uploadId, domainId, hostname: domain, sitemapName = null } = response.locals;
      if (domainId !== undefined) emitRefused(accountId, { domainId, domain, sitemapName, uploadId }, error);
    } else end(error instanceof ClientGone ? 'abandoned' : 'failed');
    const ended = attempt.end(outcomeOf(error), error);
    if (ended !== undefined) recordAttempt(accountId, ended);
    throw error;
  }
}

function outcomeOf(error: unknown) {
  if (error instanceof Refusal) return 'refused';
  return error instanceof ClientGone ? 'abandoned' : 'failed';
}
