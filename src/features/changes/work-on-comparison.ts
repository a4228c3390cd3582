/** Runs one due comparison. Records its result, puts it off, or gives it up. */
import type { Log } from '../../platform/log.ts';
import { holdLease } from '../../platform/postgres/hold-lease.ts';
import { LeaseLost } from '../../platform/postgres/lease.ts';
import { ThreadDied } from '../../platform/process/asking-thread.ts';
import { type CompareSitemapOptions, compareSitemap, NotComparable } from './compare-sitemap.ts';
import type { ChangeCounts, ComparisonState } from './comparison.ts';
import type { EndedComparison } from './comparison-store.ts';
import type { ComparisonThread } from './comparison-thread.ts';
import { type DueComparison, LEASE_MS, postponeComparison, renewComparison } from './due-comparison-store.ts';
import { forgetParts, giveUpComparison } from './record-comparison.ts';

/** `overtaken`: another upload is to be compared, another process compares the sitemap, or this process ends. */
type ComparisonOutcome = ComparisonState | 'overtaken' | 'failed';

export type ReportComparison = (outcome: ComparisonOutcome, seconds: number, counts?: ChangeCounts) => void;

export interface WorkOnComparisonOptions extends CompareSitemapOptions {
  readonly log: Log;
  readonly report?: ReportComparison;
}

/** More attempts repair neither damaged files nor a comparison that kills its thread. An attempt whose process dies also counts. */
const MAX_ATTEMPTS = 5;
const FIRST_RETRY_MS = 2_000;
const MAX_RETRY_MS = 5 * 60_000;

/** Throws only if the database fails. In that case, the comparison is due again when its lease ends. */
export async function workOnComparison(
  options: WorkOnComparisonOptions,
  thread: ComparisonThread,
  due: DueComparison,
  ending: AbortSignal,
): Promise<void> {
  const { log, report = () => {} } = options;
  const startedAt = performance.now();
  const { accountId, hostname, sitemapName, uploadId, formerUploadId, attempts } = due;
  const about = { accountId, hostname, sitemapName, uploadId, formerUploadId };
  const end = (outcome: ComparisonOutcome, counts?: ChangeCounts) => {
    const seconds = (performance.now() - startedAt) / 1000;
    report(outcome, seconds, counts);
    return { ...about, durationMs: Math.round(seconds * 1000) };
  };
  try {
    const { state, counts } = await compareOnce(options, thread, due, ending);
    if (attempts > MAX_ATTEMPTS) log.error(end(state), 'uploads cannot be compared: given up');
    else log.info({ ...end(state, counts), state, ...counts }, 'uploads compared');
  } catch (err) {
    await forgetParts(options.database, due);
    if (err instanceof LeaseLost || ending.aborted) {
      end('overtaken');
      await postponeComparison(options.database, due, { delayMs: 0, isFault: false });
      return;
    }
    const isFault = err instanceof NotComparable || err instanceof ThreadDied;
    const delayMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** attempts);
    log.warn({ err, ...end('failed'), attempts }, 'uploads could not be compared');
    await postponeComparison(options.database, due, { delayMs, isFault });
  }
}

async function compareOnce(
  options: WorkOnComparisonOptions,
  thread: ComparisonThread,
  due: DueComparison,
  ending: AbortSignal,
): Promise<EndedComparison> {
  if (due.attempts > MAX_ATTEMPTS) return giveUpComparison(options, due);
  await using lease = holdLease({
    lengthMs: LEASE_MS,
    renew: () => renewComparison(options.database, due),
  });
  return await compareSitemap(options, thread, due, AbortSignal.any([ending, lease.signal]));
}
