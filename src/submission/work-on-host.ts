/**
 * Brings the submissions of a page host one step further. A host is in one of these states:
 *
 *   new         ─its key is in our site.json→  unverified
 *   unverified  ─its key file is right→  verified          (checked after 1 minute, 5, 15, an hour, 6 hours, then daily)
 *   verified    ─a batch submitted→  verified              (one request at a time, a pause between two)
 *   verified    ─the endpoint answers 403→  unverified
 *   any         ─the endpoint answers 429 or not at all→  the same, later
 *
 * It may be killed at any point, and called at any time by any process: a lease gives a host to one of them.
 */

import { changeLockedSite } from '../domains/change-locked-site.ts';
import type { ChangeSite } from '../domains/domain.ts';
import { inTransaction } from '../platform/postgres/database.ts';
import { findKeyProblem } from './check-key.ts';
import {
  type HostWork,
  LeaseLost,
  lockHost,
  markInSite,
  releaseHost,
  UNVERIFIED,
  VERIFIED,
} from './host-store.ts';
import { checkDelayMs } from './retry-times.ts';
import { expireBatches, type SubmissionOptions, submitNext } from './submit-batch.ts';

export interface HostOptions extends SubmissionOptions {
  readonly changeSite: ChangeSite;
}

/** `signal`: gives up the check of a key file. */
export async function workOnHost(options: HostOptions, host: HostWork, signal: AbortSignal): Promise<void> {
  try {
    if (!host.isInSite) await putKeysInSite(options.changeSite, host);
    if (host.isVerified) await submitNext(options, host);
    else await checkHost(options, host, signal);
  } catch (error) {
    // Whoever has the lease now does the rest.
    if (!(error instanceof LeaseLost)) throw error;
  }
}

/** Our own hostname has the keys too, because its pages may be in the sitemap. */
export async function putKeysInSite(
  changeSite: ChangeSite,
  { domainId, hostname }: Pick<HostWork, 'domainId' | 'hostname'>,
): Promise<void> {
  await changeLockedSite(changeSite, { id: domainId, hostname }, (transaction) =>
    markInSite(transaction, domainId),
  );
}

async function checkHost(options: HostOptions, host: HostWork, signal: AbortSignal): Promise<void> {
  const { database, ask, random, report, log } = options;
  const problem = await findKeyProblem(ask, host, signal);
  const expired = await inTransaction(database, async (transaction) => {
    await lockHost(transaction, host);
    const urls = await expireBatches(transaction, host);
    if (problem === null) await releaseHost(transaction, host, VERIFIED);
    else {
      const delayMs = checkDelayMs(host.failures + 1, random());
      await releaseHost(transaction, host, UNVERIFIED, [problem, delayMs]);
    }
    return urls;
  });
  if (expired > 0) report('expired', expired);
  log.info({ domainId: host.domainId, host: host.host, problem }, 'key file checked');
}
