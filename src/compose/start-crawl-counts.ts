/** Starts the counts of crawls in a hosting process. The scope of the process writes the last counts. */
import { CrawlCounts } from '../edges/hosting/crawl-counts.ts';
import { CrawlWriter } from '../edges/hosting/write-crawls.ts';
import { createCrawlCountMetrics } from '../operations/crawl-metrics.ts';
import { withinDeadline } from '../platform/concurrency/deadline.ts';
import { repeat } from '../platform/concurrency/repeat.ts';
import { sayRarely } from '../platform/say-rarely.ts';
import type { ProcessOptions } from './open-process.ts';

/** The time to write the last counts. The primary kills a worker 2 s after the time for its answers. */
const END_MS = 1_500;

/**
 * Starts the counts; returns undefined if CRAWL_COUNTS_MS turns them off. Call it before the server opens: then the last answers
 * are counted before the last write.
 */
export function startCrawlCounts({
  config,
  log,
  metrics,
  scope,
  storage,
}: ProcessOptions): CrawlCounts | undefined {
  if (config.CRAWL_COUNTS_MS === 0) return undefined;
  const counts = new CrawlCounts({ now: Date.now });
  const report = createCrawlCountMetrics(metrics, () => counts.dropped);
  const writer = new CrawlWriter({ counts, storage, report });
  const complain = sayRarely<unknown>((err, { unsaid }) =>
    log.warn({ err, unsaid }, 'counts of crawls cannot be written; they wait'),
  );
  const writing = repeat(() => writer.write().catch(complain), config.CRAWL_COUNTS_MS);
  const end = async () => {
    await writing.stop();
    await writer.write();
  };
  scope.defer(() =>
    withinDeadline(end(), END_MS).catch((err) => log.warn({ err }, 'the last counts of crawls are lost')),
  );
  return counts;
}
