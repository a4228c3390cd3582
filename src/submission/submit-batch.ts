/**
 * Submits the next batch of a host:
 *
 *   expire old ones → take the next one that the day's budget allows → read its URLs → mark it → POST → record the answer
 *
 * The mark stands before the request and goes with the record of its answer. So whoever takes the batch after a process
 * died sees that it may have been submitted. It is sent once more, and not a third time.
 */
import { type AskOutside, OutboundError } from '../platform/http/outbound.ts';
import type { Log } from '../platform/log.ts';
import { type Database, inTransaction, type Transaction } from '../platform/postgres/database.ts';
import type { ObjectStorage } from '../platform/storage/object-storage.ts';
import {
  type Batch,
  type BatchEnd,
  endBatches,
  findBudget,
  findNextBatch,
  keepBatch,
  listExpiredBatches,
  markSending,
  splitBatch,
} from './batch-store.ts';
import { type HostWork, lockHost, releaseHost, TODAY, UNVERIFIED } from './host-store.ts';
import { judgeAnswer, type Verdict } from './judge-answer.ts';
import { MAX_AGE_DAYS, MAX_WAITING_BATCHES } from './limits.ts';
import { keyFileOf } from './page-host.ts';
import { readBatch } from './read-batch.ts';
import { checkDelayMs, requestDelayMs } from './retry-times.ts';

/** `split` is a batch that was halved, `later` and `unverified` one that waits. */
export type SubmissionOutcome = BatchEnd | 'expired' | 'split' | 'later' | 'unverified';

export interface SubmissionOptions {
  readonly database: Database;
  readonly storage: Pick<ObjectStorage, 'get'>;
  readonly ask: AskOutside;
  readonly endpoint: string;
  readonly urlsPerDay: number;
  /** Between two requests for a host. */
  readonly pauseMs: number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly log: Log;
  readonly report: (outcome: SubmissionOutcome, urlCount: number) => void;
}

/** Shorter than the lease. Nobody breaks it off: then we would not know whether it arrived. */
const REQUEST_TIMEOUT_MS = 20_000;
/** Its content has no meaning for us. */
const MAX_ANSWER_BYTES = 4096;
const MAX_UNANSWERED = 2;

/** Throws LeaseLost. */
export async function submitNext(options: SubmissionOptions, host: HostWork): Promise<void> {
  const { database, storage, report } = options;
  const taken = await inTransaction(database, (transaction) => takeNext(options, transaction, host));
  if (taken.expired > 0) report('expired', taken.expired);
  const { batch } = taken;
  if (batch === undefined) return;
  const fail = (message: string) => recordFailure(options, host, batch, message);
  if (batch.unanswered >= MAX_UNANSWERED) {
    return fail('Our processes ended twice while they submitted these URLs. They may have arrived.');
  }
  const urls = await readBatch(storage, batch);
  if (urls === undefined) return fail('We lost these URLs. Search engines find them in the sitemap.');
  await markSending(database, host, batch);
  const verdict = await post(options, host, urls);
  const outcome = await inTransaction(database, (transaction) =>
    record(options, transaction, host, batch, verdict),
  );
  report(outcome, batch.urlCount);
  const { domainId, host: pageHost } = host;
  options.log.info(
    { domainId, host: pageHost, urls: batch.urlCount, status: verdict.status, outcome },
    'changed URLs submitted',
  );
}

/** Without a batch, the host is released: until there is one, or until tomorrow. */
async function takeNext(
  { urlsPerDay }: SubmissionOptions,
  transaction: Transaction,
  host: HostWork,
): Promise<{ expired: number; batch: Batch | undefined }> {
  await lockHost(transaction, host);
  const expired = await expireBatches(transaction, host);
  const next = await findNextBatch(transaction, host);
  if (next === undefined) {
    await releaseHost(transaction, host, 'due_at = NULL, paused_until = NULL');
    return { expired, batch: undefined };
  }
  const budget = await findBudget(transaction, host, urlsPerDay);
  if (budget === 0) {
    const tomorrow = `(${TODAY} + 1)::timestamp AT TIME ZONE 'UTC'`;
    await releaseHost(transaction, host, `due_at = ${tomorrow}, paused_until = ${tomorrow}`);
    return { expired, batch: undefined };
  }
  const batch = next.urlCount > budget ? await splitBatch(transaction, next, budget) : next;
  return { expired, batch };
}

/** Returns the number of URLs. */
export async function expireBatches(transaction: Transaction, host: HostWork): Promise<number> {
  const ids = await listExpiredBatches(transaction, host);
  if (ids.length === 0) return 0;
  const message = `URLs wait at most ${MAX_AGE_DAYS} days, and at most ${MAX_WAITING_BATCHES} batches of a host. Search engines find these in the sitemap.`;
  return endBatches(transaction, host, ids, 'failed', message);
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
  batch: Batch,
  message: string,
): Promise<void> {
  await inTransaction(database, async (transaction) => {
    await lockHost(transaction, host);
    await endBatches(transaction, host, [batch.id], 'failed', message);
    await releaseHost(transaction, host, DUE_AFTER_PAUSE, [pauseMs]);
  });
  report('failed', batch.urlCount);
}

/** `$3`: the pause, in milliseconds. */
const DUE_AFTER_PAUSE = `due_at = now() + $3 * interval '1 millisecond', paused_until = NULL`;

async function record(
  options: SubmissionOptions,
  transaction: Transaction,
  host: HostWork,
  batch: Batch,
  verdict: Verdict,
): Promise<SubmissionOutcome> {
  const { pauseMs } = options;
  const { status } = verdict;
  await lockHost(transaction, host);
  const release = (set: string, values: readonly unknown[] = []) =>
    releaseHost(transaction, host, `${DUE_AFTER_PAUSE}, last_status = $4${set}`, [
      pauseMs,
      status ?? null,
      ...values,
    ]);
  switch (verdict.kind) {
    case 'submitted':
      await endBatches(transaction, host, [batch.id], 'submitted');
      await release(
        `, failures = 0, last_submitted_at = now(), sent_on = ${TODAY},
           sent_urls = $5 + CASE WHEN sent_on = ${TODAY} THEN sent_urls ELSE 0 END`,
        [batch.urlCount],
      );
      return 'submitted';
    case 'dead':
      await endBatches(
        transaction,
        host,
        [batch.id],
        'failed',
        'The search engines refused the request (400).',
      );
      await release('');
      return 'failed';
    case 'refused':
      await release('');
      return halve(transaction, host, batch);
    case 'unverified':
      await keepBatch(transaction, batch, false);
      await doubt(options, transaction, host);
      return 'unverified';
    case 'later':
      await keepBatch(transaction, batch, true);
      await postpone(options, transaction, host, verdict);
      return 'later';
  }
}

/** Until the URL that search engines do not take is alone. */
async function halve(transaction: Transaction, host: HostWork, batch: Batch): Promise<SubmissionOutcome> {
  if (batch.urlCount === 1) {
    await endBatches(transaction, host, [batch.id], 'refused');
    return 'refused';
  }
  await splitBatch(transaction, batch, Math.ceil(batch.urlCount / 2));
  await keepBatch(transaction, batch, false);
  return 'split';
}

/** The key file is checked again before the next request. */
async function doubt({ random }: SubmissionOptions, transaction: Transaction, host: HostWork): Promise<void> {
  const problem = `Search engines do not find the key at ${keyFileOf(host)}, or refuse it. Look whether everyone gets that file.`;
  const delayMs = checkDelayMs(host.failures + 1, random());
  await releaseHost(transaction, host, `${UNVERIFIED}, last_status = 403`, [problem, delayMs]);
}

async function postpone(
  { random, pauseMs }: SubmissionOptions,
  transaction: Transaction,
  host: HostWork,
  { status, retryAfterMs }: Extract<Verdict, { kind: 'later' }>,
): Promise<void> {
  const delayMs = Math.max(pauseMs, retryAfterMs ?? requestDelayMs(host.failures + 1, random()));
  await releaseHost(
    transaction,
    host,
    `failures = failures + 1, last_status = $4, due_at = now() + $3 * interval '1 millisecond',
     paused_until = now() + $3 * interval '1 millisecond'`,
    [delayMs, status ?? null],
  );
}
