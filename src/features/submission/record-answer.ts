/** Records the consequences of the endpoint's answer for batches and their host, in one transaction. */
import type { Transaction } from '../../platform/postgres/database.ts';
import { type Batch, keepBatches, splitBatch } from './batch-store.ts';
import { type CountedRequests, countRequest } from './budget-store.ts';
import { type BatchEnd, endBatches } from './end-batches.ts';
import { type HostWork, lockHost, releaseHost, UNVERIFIED } from './host-store.ts';
import type { Verdict } from './judge-answer.ts';
import { QUICK_REQUESTS, WAIT_AFTER } from './limits.ts';
import { keyFileOf } from './page-host.ts';
import { checkDelayMs, requestDelayMs } from './retry-times.ts';

/** The outcome of batches. `split`: the refused request is halved. `later` and `unverified`: the batches wait. */
export type SubmissionOutcome = BatchEnd | 'expired' | 'split' | 'later' | 'unverified';

export interface Pacing {
  /** The pause between two requests for a host. */
  readonly pauseMs: number;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
}

/** Makes the host due after the pause. `$3`: the pause, in milliseconds. */
export const DUE_AFTER_PAUSE = `due_at = now() + $3 * interval '1 millisecond', paused_until = NULL`;
/** Lets the host wait. `$3`: the milliseconds. */
const DUE_AFTER_WAIT = `due_at = now() + $3 * interval '1 millisecond', paused_until = now() + $3 * interval '1 millisecond'`;
/** After QUICK_REQUESTS requests in a day, the pause of a host is this many times as long. */
const SLOW = 30;

/** Records an answer of the endpoint. Throws LeaseLost. */
export async function recordAnswer(
  options: Pacing,
  transaction: Transaction,
  host: HostWork,
  batches: readonly Batch[],
  verdict: Verdict,
): Promise<SubmissionOutcome> {
  await lockHost(transaction, host);
  const ids = batches.map(({ id }) => id);
  const count = (result: 'accepted' | 'refused' | 'other', urls = 0) =>
    countRequest(transaction, host, result, urls);
  switch (verdict.kind) {
    case 'submitted': {
      const urls = await endBatches(transaction, host, ids, 'submitted');
      const counted = await count('accepted', urls);
      await releaseHost(
        transaction,
        host,
        `${DUE_AFTER_PAUSE}, last_status = $4, failures = 0, problem = NULL, last_submitted_at = now()`,
        [pauseAfter(options, counted), verdict.status],
      );
      return 'submitted';
    }
    case 'dead':
      await endBatches(transaction, host, ids, 'failed', 'The search engines refused the request (400).');
      await goOnWarily(options, transaction, host, await count('refused'), verdict.status);
      return 'failed';
    case 'refused':
      await goOnWarily(options, transaction, host, await count('refused'), verdict.status);
      return halve(transaction, host, batches);
    case 'unverified':
      await count('refused');
      await keepBatches(transaction, batches, { hasFailed: false });
      await doubt(options, transaction, host);
      return 'unverified';
    case 'later':
      await count('other');
      await keepBatches(transaction, batches, { hasFailed: true });
      await postpone(options, transaction, host, verdict);
      return 'later';
  }
}

const pauseAfter = ({ pauseMs }: Pacing, { requests }: CountedRequests) =>
  requests >= QUICK_REQUESTS ? SLOW * pauseMs : pauseMs;

/**
 * Halves a refused request: its batches, or its only batch. So at last the URL that search engines refuse is alone. Ends a batch of one
 * URL. The halves go behind batches that were refused less often. So one bad list does not keep the others waiting, and large halves
 * without a bad URL go first.
 */
async function halve(
  transaction: Transaction,
  host: HostWork,
  batches: readonly Batch[],
): Promise<SubmissionOutcome> {
  const [batch] = batches;
  const isAlone = batches.length === 1;
  if (isAlone && batch!.urlCount === 1) {
    await endBatches(transaction, host, [batch!.id], 'refused');
    return 'refused';
  }
  const together = isAlone ? 1 : Math.ceil(batches.length / 2);
  await keepBatches(transaction, batches, { hasFailed: true, together });
  if (isAlone) await splitBatch(transaction, batch!, Math.ceil(batch!.urlCount / 2));
  return 'split';
}

/** Goes on after the pause. If requests are refused again and again, waits longer and longer instead, and says why. */
async function goOnWarily(
  options: Pacing,
  transaction: Transaction,
  host: HostWork,
  counted: CountedRequests,
  status: number,
): Promise<void> {
  const { refusals } = counted;
  if (refusals < WAIT_AFTER) {
    const pauseMs = pauseAfter(options, counted);
    return releaseHost(transaction, host, `${DUE_AFTER_PAUSE}, last_status = $4`, [pauseMs, status]);
  }
  const problem = `Search engines refuse the URLs of ${host.host} (${status}), also single ones. Look whether everyone gets ${keyFileOf(host)} and the pages. Waypost tries one URL at a time, less and less often, until one is accepted.`;
  const delayMs = checkDelayMs(refusals - WAIT_AFTER + 1, options.random());
  await releaseHost(transaction, host, `${DUE_AFTER_WAIT}, last_status = $4, problem = $5`, [
    delayMs,
    status,
    problem,
  ]);
}

/** Marks the host as unverified, so that its key file is checked again before the next request. */
async function doubt({ random }: Pacing, transaction: Transaction, host: HostWork): Promise<void> {
  const problem = `Search engines do not find the key at ${keyFileOf(host)}, or refuse it. Look whether everyone gets that file.`;
  const delayMs = checkDelayMs(host.failures + 1, random());
  await releaseHost(transaction, host, `${UNVERIFIED}, last_status = 403`, [problem, delayMs]);
}

async function postpone(
  { random }: Pacing,
  transaction: Transaction,
  host: HostWork,
  { status, retryAfterMs }: Extract<Verdict, { kind: 'later' }>,
): Promise<void> {
  const delayMs = requestDelayMs(host.failures + 1, random(), retryAfterMs);
  await releaseHost(transaction, host, `${DUE_AFTER_WAIT}, failures = failures + 1, last_status = $4`, [
    delayMs,
    status ?? null,
  ]);
}
