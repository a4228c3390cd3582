/**
 * Counts, logs and records an upload, however it ends, and tells webhooks of a refusal. `error-answers.ts` logs
 * failures and clients that went away.
 */
import type { Response } from 'express';
import type { Caller } from '../accounts/key-store.ts';
import type { Log } from '../platform/log.ts';
import { Refusal } from '../platform/refusal.ts';
import { shownSitemapName } from '../sitemap/file-names.ts';
import type { AcceptedUpload } from '../uploads/accept-upload.ts';
import type { Attempt, AttemptOutcome } from '../uploads/attempt.ts';
import { GuardRefusal } from '../uploads/guard.ts';
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

/** `accept` tells `attempt` what becomes known. `response.locals` has the caller and `requestId`. */
export async function reportUpload(
  { log, reports, emitRefused, recordAttempt }: UploadReportOptions,
  { locals }: Response,
  attempt: Attempt,
  accept: () => Promise<AcceptedUpload>,
): Promise<AcceptedUpload> {
  const { requestId } = locals;
  const { accountId, keyId }: Caller = locals.caller;
  const startedAt = performance.now();
  const end = (outcome: UploadOutcome, urlCount = 0) => {
    const seconds = (performance.now() - startedAt) / 1000;
    reports.uploadEnds(outcome, { seconds, urlCount });
    // Only now: both may have come, or changed, since the beginning.
    const { id: uploadId, domain } = attempt;
    const durationMs = Math.round(seconds * 1000);
    return { requestId, uploadId, accountId, keyId, hostname: domain?.hostname, durationMs };
  };
  const record = async (outcome: AttemptOutcome, error?: unknown) => {
    const ended = attempt.end(outcome, error);
    // Published and held ones are recorded in their transactions.
    if (outcome !== 'held' && ended !== undefined) await recordAttempt(accountId, ended);
  };

  reports.uploadBegins();
  try {
    const upload = await accept();
    const { urlCount: urls, fileCount: files, bytes, gzipBytes, rejected, dryRun } = upload;
    const ended = dryRun ? end('dry_run') : end('accepted', urls);
    log.info(
      { ...ended, urls, files, bytes, gzipBytes, rejected },
      `upload ${dryRun ? 'tried' : 'accepted'}`,
    );
    if (dryRun) await record('dry_run');
    return upload;
  } catch (error) {
    const outcome = outcomeOf(error, attempt);
    const ended = end(outcome);
    if (error instanceof Refusal) {
      const field = error.options.details?.field;
      log.info({ ...ended, code: error.code, field }, `upload ${outcome === 'held' ? 'held' : 'refused'}`);
      const { id: uploadId, domain, sitemapName: name } = attempt;
      if (outcome === 'refused' && domain !== undefined) {
        const sitemapName = name === undefined ? null : shownSitemapName(name);
        emitRefused(
          accountId,
          { domainId: domain.id, domain: domain.hostname, sitemapName, uploadId },
          error,
        );
      }
    }
    const recorded = record(outcome, error);
    // Whoever reads a refusal may send the next upload at once, which is newer. Of a failure, Postgres may be the cause.
    if (error instanceof Refusal) await recorded;
    throw error;
  }
}

/** Nobody needs to hear of a dry run, and a held upload has an event of its own. */
function outcomeOf(error: unknown, { isDryRun }: Attempt): Exclude<AttemptOutcome, 'published'> {
  if (error instanceof ClientGone) return 'abandoned';
  if (!(error instanceof Refusal)) return 'failed';
  if (isDryRun) return 'dry_run';
  return error instanceof GuardRefusal && error.heldUploadId !== undefined ? 'held' : 'refused';
}
