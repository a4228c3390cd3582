/**
 * Checks the DNS records of served domains again (`watch.ts`). Any number of processes may check at once, because
 * each takes different domains. If a process dies, its domains are due again 10 minutes later.
 */
import type { WorkQueue } from '../../core/jobs/start-working-off.ts';
import type { Log } from '../../platform/log.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { emitEvent } from '../webhooks/emit-event.ts';
import { type DueCheck, recordCheck, takeDueChecks } from './check-store.ts';
import type { Diagnose } from './diagnose-domain.ts';
import type { Diagnosis, Verdict } from './diagnosis.ts';
import type { OpenChange, WithDomain } from './domain.ts';
import { markFailed } from './domain-store.ts';
import { MOVED_UNTIL_LOST_MS } from './watch.ts';

export interface RecheckDomainsOptions {
  readonly database: Database;
  readonly diagnose: Diagnose;
  readonly openChange: OpenChange;
  /** Called when a domain fails. */
  readonly onUnserved: WithDomain;
  readonly log: Log;
  readonly checked?: (verdict: Verdict) => void;
}

/** A check makes about ten lookups, mostly of 10 to 100 ms. */
const RECHECKED_AT_ONCE = 8;
/** The longest time that a due check waits after a poll that found none. */
const LOOK_EVERY_MS = 1000;

/** The queue of checks of served domains. All processes share its pace, so resolvers see no flood after an outage. */
export function createCheckQueue(options: RecheckDomainsOptions): WorkQueue<DueCheck> {
  return {
    name: 'domains.recheck',
    atOnce: RECHECKED_AT_ONCE,
    pollMs: LOOK_EVERY_MS,
    take: (limit) => takeDueChecks(options.database, limit),
    work: (domain) => recheck(options, domain),
  };
}

/** Checks a domain again. An error affects only this domain, which is due again soon. */
async function recheck(options: RecheckDomainsOptions, domain: DueCheck): Promise<void> {
  try {
    const diagnosis = await options.diagnose(domain.hostname, domain.cnameTarget, domain.website);
    const isLost = await recordCheck(options.database, domain.id, diagnosis);
    options.checked?.(diagnosis.verdict);
    if (isLost) await failDomain(options, domain, diagnosis);
  } catch (err) {
    options.log.warn({ err, domainId: domain.id, hostname: domain.hostname }, 'the check of a domain failed');
  }
}

/** Fails a domain. If the process dies before the commit, the next check fails the domain. */
async function failDomain(
  { openChange, onUnserved, log }: RecheckDomainsOptions,
  { id, hostname }: DueCheck,
  { problem }: Diagnosis,
): Promise<void> {
  const failure = `The DNS records of ${hostname} have led elsewhere for 7 days, so it is no longer served. ${problem} Then verify the domain again.`;
  await using change = await openChange();
  const { transaction } = change;
  const failed = await markFailed(transaction, id, failure, MOVED_UNTIL_LOST_MS);
  // A right answer came meanwhile, or another process has failed the domain already.
  if (failed === undefined) return;
  const { accountId } = failed;
  await onUnserved(transaction, failed);
  await emitEvent(transaction, accountId, 'domain.failed', {
    domainId: id,
    domain: hostname,
    message: failure,
  });
  await change.commit({ id, hostname });
  log.info({ domainId: id, accountId, hostname, problem }, 'domain failed: its DNS records lead elsewhere');
}
