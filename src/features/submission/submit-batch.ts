/**
 * Submits the next batches of a host in one request:
 *
 *   take the next ones within the day's budget → read their URLs → mark them → POST → record the answer
 *
 * The marks are written before the request, and cleared with the record of its answer. If the process dies in between, the next process
 * sees that the batches may have been submitted. It sends them once more, and not a third time.
 */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import pMap from 'p-map';
import { MAX_URL_LENGTH } from '../../core/sitemap/limits.ts';
import { type AskOutside, OutboundError } from '../../platform/http/outbound.ts';
import type { Log } from '../../platform/log.ts';
import { type Database, inTransaction, type Transaction } from '../../platform/postgres/database.ts';
import { holdLease } from '../../platform/postgres/hold-lease.ts';
import { type ObjectStorage, readObject } from '../../platform/storage/object-storage.ts';
import { counted } from '../../platform/words.ts';
import { type Batch, findNextBatches, listExpiredBatches, markSending, splitBatch } from './batch-store.ts';
import { findBudget } from './budget-store.ts';
import { endBatches } from './end-batches.ts';
import { type HostWork, LEASE_MS, lockHost, releaseHost, renewHost, TODAY } from './host-store.ts';
import { judgeAnswer, type Verdict } from './judge-answer.ts';
import {
  FAILED_EVERY,
  MAX_AGE_DAYS,
  MAX_URLS_PER_BATCH,
  MAX_WAITING_BATCHES,
  MAX_WAITING_URLS,
  SINGLE_URLS_AFTER,
} from './limits.ts';
import { keyFileOf } from './page-host.ts';
import { DUE_AFTER_PAUSE, type Pacing, recordAnswer, type SubmissionOutcome } from './record-answer.ts';

export interface SubmissionOptions extends Pacing {
  readonly database: Database;
  readonly storage: Pick<ObjectStorage, 'get'>;
  readonly ask: AskOutside;
  readonly endpoint: string;
  readonly urlsPerDay: number;
  readonly log: Log;
  readonly report: (outcome: SubmissionOutcome, urlCount: number) => void;
}

/**
 * The time limit of a request, shorter than the lease. No signal aborts a request, because after an abort we do not know whether the
 * request arrived.
 */
const REQUEST_TIMEOUT_MS = 20_000;
/** The most bytes that we read of an answer. We do not use its content. */
const MAX_ANSWER_BYTES = 4096;
const MAX_UNANSWERED = 2;
const READS_AT_ONCE = 8;
const inflate = promisify(gunzip);
/** The most bytes of a batch. A URL is ASCII, so it has as many bytes as characters. */
const MAX_BYTES = MAX_URLS_PER_BATCH * (MAX_URL_LENGTH + 1);

/** Submits the next batches of a host. Throws LeaseLost. */
export async function submitNext(options: SubmissionOptions, host: HostWork): Promise<void> {
  const { database, report } = options;
  const batches = await inTransaction(database, (transaction) => takeNext(options, transaction, host));
  if (batches.length === 0) return;
  const doubtful = batches.filter(({ unanswered }) => unanswered >= MAX_UNANSWERED);
  if (doubtful.length > 0) {
    const message = 'Our processes ended twice while they submitted these URLs. They may have arrived.';
    return recordFailure(options, host, doubtful, message);
  }
  const { urls, lost } = await readBatches(options, host, batches);
  if (lost.length > 0) {
    return recordFailure(options, host, lost, 'We lost these URLs. Search engines find them in the sitemap.');
  }
  await markSending(database, host, batches);
  const verdict = await post(options, host, urls);
  const outcome = await inTransaction(database, (transaction) =>
    recordAnswer(options, transaction, host, batches, verdict),
  );
  report(outcome, urls.length);
  const { domainId, host: pageHost } = host;
  options.log.info(
    { domainId, host: pageHost, urls: urls.length, status: verdict.status, outcome },
    'changed URLs submitted',
  );
}

/**
 * Takes the next batches. If there are none, releases the host until there are. If the day's budget is used up, releases the host until
 * tomorrow.
 */
async function takeNext(
  { urlsPerDay }: SubmissionOptions,
  transaction: Transaction,
  host: HostWork,
): Promise<readonly Batch[]> {
  await lockHost(transaction, host);
  const { urls, requests, refusals, spent } = await findBudget(transaction, host, urlsPerDay);
  const maxUrls = refusals >= SINGLE_URLS_AFTER ? Math.min(urls, 1) : Math.min(urls, MAX_URLS_PER_BATCH);
  const isForFailed = requests % FAILED_EVERY === FAILED_EVERY - 1;
  const batches = await findNextBatches(transaction, host, maxUrls, isForFailed);
  const [first] = batches;
  if (first === undefined) {
    await releaseHost(transaction, host, 'due_at = NULL, paused_until = NULL');
    return batches;
  }
  if (urls === 0 || spent !== undefined) {
    const tomorrow = `(${TODAY} + 1)::timestamp AT TIME ZONE 'UTC'`;
    const until = `due_at = ${tomorrow}, paused_until = ${tomorrow}`;
    await releaseHost(transaction, host, `${until}, problem = coalesce($3, problem)`, [spent ?? null]);
    return [];
  }
  if (first.urlCount <= maxUrls) return batches;
  return [await splitBatch(transaction, first, maxUrls)];
}

/** Ends the expired batches of a host. Throws LeaseLost. */
export async function expireBatches(
  { database, report }: Pick<SubmissionOptions, 'database' | 'report'>,
  host: HostWork,
): Promise<void> {
  const message = `URLs wait at most ${MAX_AGE_DAYS} days, and of a host at most ${counted(MAX_WAITING_URLS)} in ${counted(MAX_WAITING_BATCHES)} batches. Search engines find these in the sitemap.`;
  // One transaction for all: then one event tells of them.
  const urls = await inTransaction(database, async (transaction) => {
    await lockHost(transaction, host);
    return await endBatches(
      transaction,
      host,
      await listExpiredBatches(transaction, host),
      'failed',
      message,
    );
  });
  if (urls > 0) report('expired', urls);
}

/** Reads the URLs of batches of one request. `lost`: the batches without URLs. Throws when the store fails. Throws LeaseLost. */
async function readBatches(
  { database, storage }: SubmissionOptions,
  host: HostWork,
  batches: readonly Batch[],
): Promise<{ urls: string[]; lost: Batch[] }> {
  const urls: string[] = [];
  const lost: Batch[] = [];
  // Many reads of a slow store take longer than the lease. Then another process would begin to read them, and so on for ever.
  await using lease = holdLease({ lengthMs: LEASE_MS, renew: () => renewHost(database, host) });
  const { signal } = lease;
  const all = await pMap(batches, (batch) => readBatch(storage, batch), {
    concurrency: READS_AT_ONCE,
    signal,
  });
  for (const [i, batch] of batches.entries()) {
    const read = all[i];
    if (read === undefined) lost.push(batch);
    else for (const url of read) urls.push(url);
  }
  return { urls, lost };
}

/** Reads the URLs of a batch. Returns undefined if the stored object is gone or damaged. Throws when the store fails. */
async function readBatch(
  storage: SubmissionOptions['storage'],
  { object, first, urlCount }: Batch,
): Promise<string[] | undefined> {
  const bytes = await readObject(storage, object);
  const text = bytes && (await inflate(bytes, { maxOutputLength: MAX_BYTES }).catch(() => undefined));
  const urls = text
    ?.toString()
    .split('\n')
    .slice(first, first + urlCount);
  return urls?.length === urlCount ? urls : undefined;
}

async function post(
  { ask, endpoint }: SubmissionOptions,
  { host, scheme, key }: HostWork,
  urlList: readonly string[],
): Promise<Verdict> {
  const body = JSON.stringify({ host, key, keyLocation: keyFileOf({ scheme, host, key }), urlList });
  const answer = await ask({
    kind: 'url submission',
    url: endpoint,
    body,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    timeoutMs: REQUEST_TIMEOUT_MS,
    maxBodyBytes: MAX_ANSWER_BYTES,
    isOurs: true,
  }).catch((error) => {
    if (error instanceof OutboundError) return error;
    throw error;
  });
  return judgeAnswer(answer);
}

async function recordFailure(
  { database, pauseMs, report }: SubmissionOptions,
  host: HostWork,
  batches: readonly Batch[],
  message: string,
): Promise<void> {
  const ids = batches.map(({ id }) => id);
  const urls = await inTransaction(database, async (transaction) => {
    await lockHost(transaction, host);
    const ended = await endBatches(transaction, host, ids, 'failed', message);
    await releaseHost(transaction, host, DUE_AFTER_PAUSE, [pauseMs]);
    return ended;
  });
  report('failed', urls);
}
