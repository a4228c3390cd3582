/**
 * Brings the submissions of a page host one step further. A host is in one of these states:
 *
 *   new         ─its key is in our site.json→  unverified
 *   unverified  ─its key file is right→  verified          (checked after 1 minute, 5, 15, an hour, 6 hours, then daily)
 *   verified    ─batches submitted→  verified              (one request at a time, a pause between two)
 *   verified    ─the endpoint answers 403→  unverified
 *   verified    ─any other answer, or none→  verified      (batches are refused, given up or tried again: `judge-answer.ts`)
 *
 * Before each step, old batches expire. New batches make a waiting host due once an hour, only so that old batches expire.
 *
 * The process may die at any point, and any process may call `workOnHost` at any time: a lease gives a host to one process.
 */
import type { WorkQueue } from '../../core/jobs/start-working-off.ts';
import { inTransaction } from '../../platform/postgres/database.ts';
import { LeaseLost } from '../../platform/postgres/lease.ts';
import type { OpenChange } from '../domains/domain.ts';
import { lockDomain } from '../domains/domain-store.ts';
import { findKeyProblem } from './check-key.ts';
import {
  type HostWork,
  lockHost,
  markInSite,
  releaseHost,
  STILL_PAUSED,
  takeHosts,
  UNVERIFIED,
  VERIFIED,
} from './host-store.ts';
import { checkDelayMs } from './retry-times.ts';
import { expireBatches, type SubmissionOptions, submitNext } from './submit-batch.ts';

export interface HostOptions extends SubmissionOptions {
  readonly openChange: OpenChange;
}

/** The most page hosts that a process works on at once. The work waits for answers nearly all the time. */
const HOSTS_AT_ONCE = 10;
/** The pause between two requests for a host: with 10,000 URLs in each, 300,000 URLs a minute. */
const PAUSE_MS = 2000;

/** Creates the queue of page hosts with something to submit. */
export function createSubmissionQueue(options: Omit<HostOptions, 'pauseMs'>): WorkQueue<HostWork> {
  return {
    name: 'indexnow',
    atOnce: HOSTS_AT_ONCE,
    take: (limit) => takeHosts(options.database, limit),
    work: (host, signal) => workOnHost({ ...options, pauseMs: PAUSE_MS }, host, signal),
  };
}

/** Does the next step for a host. `signal`: aborts the check of a key file. */
export async function workOnHost(options: HostOptions, host: HostWork, signal: AbortSignal): Promise<void> {
  try {
    if (!host.isInSite) await putKeysInSite(options.openChange, host);
    await expireBatches(options, host);
    if (host.isPaused) await goOnWaiting(options, host);
    else if (host.isVerified) await submitNext(options, host);
    else await checkHost(options, host, signal);
  } catch (error) {
    // If the lease is lost, another process does the rest.
    if (!(error instanceof LeaseLost)) throw error;
  }
}

/**
 * Writes the keys of a domain into its site. The hostname of the domain serves the key files, because its own pages may be in the sitemap.
 */
export async function putKeysInSite(
  openChange: OpenChange,
  { domainId, hostname }: Pick<HostWork, 'domainId' | 'hostname'>,
): Promise<void> {
  await using change = await openChange();
  await lockDomain(change.transaction, domainId);
  await markInSite(change.transaction, domainId);
  await change.commit({ id: domainId, hostname });
}

async function goOnWaiting({ database }: HostOptions, host: HostWork): Promise<void> {
  await inTransaction(database, async (transaction) => {
    await lockHost(transaction, host);
    await releaseHost(transaction, host, STILL_PAUSED);
  });
}

async function checkHost(options: HostOptions, host: HostWork, signal: AbortSignal): Promise<void> {
  const { database, ask, random, log } = options;
  const problem = await findKeyProblem(ask, host, signal);
  await inTransaction(database, async (transaction) => {
    await lockHost(transaction, host);
    if (problem === null) await releaseHost(transaction, host, VERIFIED);
    else {
      const delayMs = checkDelayMs(host.failures + 1, random());
      await releaseHost(transaction, host, UNVERIFIED, [problem, delayMs]);
    }
  });
  log.info({ domainId: host.domainId, host: host.host, problem }, 'key file checked');
}
