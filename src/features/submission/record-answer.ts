/** Records the consequences of the endpoint's answer for a batch and its host, in one transaction. */
import type { Transaction } from '../../platform/postgres/database.ts';
import { type Batch, keepBatch, splitBatch } from './batch-store.ts';
import { type BatchEnd, endBatches } from './end-batches.ts';
import { type HostWork, lockHost, releaseHost, TODAY, UNVERIFIED } from './host-store.ts';
import type { Verdict } from './judge-answer.ts';
import { keyFileOf } from './page-host.ts';
import { checkDelayMs, requestDelayMs } from './retry-times.ts';

/** The outcome of a batch. `split`: the batch was halved. `later` and `unverified`: the batch waits. */
export type SubmissionOutcome = BatchEnd | 'expired' | 'split' | 'later' | 'unverified';

export interface Pacing {
  /** The pause between two requests for a host. */
  readonly pauseMs: number;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
}

/** Makes the host due after the pause. `$3`: the pause, in milliseconds. */
export const DUE_AFTER_PAUSE = `due_at = now() + $3 * interval '1 millisecond', paused_until = NULL`;

/** Records an answer of the endpoint. Throws LeaseLost. */
export async function recordAnswer(
  options: Pacing,
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

/** Halves a refused batch, so that at last the URL that search engines refuse is alone. Ends a batch of one URL. */
async function halve(transaction: Transaction, host: HostWork, batch: Batch): Promise<SubmissionOutcome> {
  if (batch.urlCount === 1) {
    await endBatches(transaction, host, [batch.id], 'refused');
    return 'refused';
  }
  await splitBatch(transaction, batch, Math.ceil(batch.urlCount / 2));
  await keepBatch(transaction, batch, false);
  return 'split';
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
  await releaseHost(
    transaction,
    host,
    `failures = failures + 1, last_status = $4, due_at = now() + $3 * interval '1 millisecond',
     paused_until = now() + $3 * interval '1 millisecond'`,
    [delayMs, status ?? null],
  );
}
