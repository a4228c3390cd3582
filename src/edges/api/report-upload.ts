/**
 * Counts, logs and records an upload, whatever its outcome, and tells webhooks of a refusal. `error-answers.ts` logs failures and clients
 * that went away.
 */
import type { Response } from 'express';
import { shownSitemapName } from '../../core/sitemap/file-names.ts';
import { ClientGone } from '../../core/web/request-body.ts';
import type { Caller } from '../../features/accounts/key-store.ts';
import type { AcceptedUpload } from '../../features/uploads/accept-upload.ts';
import type { Attempt, AttemptOutcome } from '../../features/uploads/attempt.ts';
import { GuardRefusal } from '../../features/uploads/guard.ts';
import type { PublishedUpload } from '../../features/uploads/publishing/publication.ts';
import type { RecordAttempt } from '../../features/uploads/record-attempts.ts';
import type { EmitRefusedUpload } from '../../features/webhooks/emit-refused-uploads.ts';
import type { Log } from '../../platform/log.ts';
import { Refusal } from '../../platform/refusal.ts';
import { inSpan } from '../../platform/trace/span.ts';
import type { ApiReports, UploadOutcome } from './reports.ts';

interface ReportNeeds {
  readonly log: Log;
  readonly reports: ApiReports;
  readonly emitRefused: EmitRefusedUpload;
  readonly uploads: { readonly recordAttempt: RecordAttempt };
}

/** The facts about an upload or a delta that are reported. */
export type ReportedUpload = PublishedUpload & Partial<Pick<AcceptedUpload, 'dryRun' | 'rejected'>>;

/** Runs and reports an upload or a delta. `accept` fills in `attempt` while it works. `response.locals` has the caller and `requestId`. */
export async function reportUpload<Accepted extends ReportedUpload>(
  { log, reports, emitRefused, uploads }: ReportNeeds,
  { locals }: Response,
  attempt: Attempt,
  accept: () => Promise<Accepted>,
): Promise<Accepted> {
  const { requestId } = locals;
  const { accountId, keyId }: Caller = locals.caller;
  const startedAt = performance.now();
  const end = (outcome: UploadOutcome, urlCount = 0) => {
    const seconds = (performance.now() - startedAt) / 1000;
    reports.uploadEnds(outcome, { seconds, urlCount });
    // Read these members at the end: `accept` may have set or changed them.
    const { id: uploadId, domain } = attempt;
    const durationMs = Math.round(seconds * 1000);
    return { requestId, uploadId, accountId, keyId, hostname: domain?.hostname, durationMs };
  };
  const record = async (outcome: AttemptOutcome, error?: unknown) => {
    const ended = attempt.end(outcome, error);
    // Uploads that were published, or stopped by a guard, are recorded in their transactions.
    if (outcome !== 'held' && ended !== undefined) await uploads.recordAttempt(accountId, ended);
  };

  reports.uploadBegins();
  try {
    const upload = await inSpan('upload', {}, accept);
    const {
      urlCount: urls,
      fileCount: files,
      filesChanged,
      bytes,
      gzipBytes,
      rejected,
      dryRun,
      placement,
    } = upload;
    const outcome = successOf(upload);
    // A delta sends fewer URLs than its sitemap has.
    const ended = end(outcome, outcome === 'accepted' ? attempt.counts.urlCount : 0);
    log.info(
      { ...ended, urls, files, filesChanged, ...placement, bytes, gzipBytes, rejected },
      `upload ${dryRun ? 'tried' : outcome}`,
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
    // A refused client may upload again at once, so wait: the next attempt must be newer. After a failure, do not wait: Postgres may be
    // down.
    if (error instanceof Refusal) await recorded;
    throw error;
  }
}

function successOf({ dryRun, isUnchanged }: ReportedUpload): UploadOutcome {
  if (dryRun) return 'dry_run';
  return isUnchanged ? 'unchanged' : 'accepted';
}

/** Returns the outcome. Webhooks get an event only for `refused`: a dry run needs none, and a held upload has its own. */
function outcomeOf(
  error: unknown,
  { isDryRun }: Attempt,
): Exclude<AttemptOutcome, 'published' | 'unchanged' | 'canceled'> {
  if (error instanceof ClientGone) return 'abandoned';
  if (!(error instanceof Refusal)) return 'failed';
  if (isDryRun) return 'dry_run';
  return error instanceof GuardRefusal && error.heldUploadId !== undefined ? 'held' : 'refused';
}
