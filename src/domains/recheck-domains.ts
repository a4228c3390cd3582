/**
 * Checks the DNS records of served domains again (`watch.ts`). Any number of processes may check at once: each takes
 * other domains. If one dies, its domains are due again 10 minutes later.
 */
import type { WorkQueue } from '../jobs/start-working-off.ts';
import type { Log } from '../platform/log.ts';
import type { Database } from '../platform/postgres/database.ts';
import { emitEvent } from '../webhooks/emit-event.ts';
import { type DueCheck, recordCheck, takeDueChecks } from './check-store.ts';
import type { Diagnose } from './diagnose-domain.ts';
import type { Diagnosis, Verdict } from './diagnosis.ts';
import type { ChangeSite, WithDomain } from './domain.ts';
import { markFailed } from './domain-store.ts';
import { MOVED_UNTIL_LOST_MS } from './watch.ts';

export interface RecheckDomainsOptions {
  readonly database: Database;
  readonly diagnose: Diagnose;
  readonly changeSite: ChangeSite;
  /** Called when a domain fails. */
  readonly onUnserved: WithDomain;
  readonly log: Log;
  readonly checked?: (verdict: Verdict) => void;
}

/** A check makes about ten lookups, mostly of 10 to 100 ms. */
export const RECHECKED_AT_ONCE = 8;
/** A check that is due may wait for so long, when none was due before. */
export const LOOK_EVERY_MS = 1000;

/** The queue of checks of served domains. Its pace is one for all processes, so resolvers see no flood after an outage. */
export function createCheckQueue(options: RecheckDomainsOptions): WorkQueue<DueCheck> {
  return {
    name: 'domains.recheck',
    take: (limit) => takeDueChecks(options.database, limit),
    work: (domain) => recheck(options, domain),
  };
}

/** A failure concerns this domain alone, which is due again soon. */
async function recheck(options: RecheckDomainsOptions, domain: DueCheck): Promise<void> {
  try {
    const diagnosis = await options.diagnose(domain.hostname, domain.cnameTarget);
    const isLost = await recordCheck(options.database, domain.id, diagnosis);
    options.checked?.(diagnosis.verdict);
    if (isLost) await failDomain(options, domain, diagnosis);
  } catch (err) {
    options.log.warn({ err, domainId: domain.id, hostname: domain.hostname }, 'the check of a domain failed');
  }
}

/** If it breaks off, the next check fails the domain. */
async function failDomain(
  { changeSite, onUnserved, log }: RecheckDomainsOptions,
  { id, hostname }: DueCheck,
  { problem }: Diagnosis,
): Promise<void> {
  const failure = `The DNS records of ${hostname} have led elsewhere for 7 days, so it is no longer served. ${problem} Then verify the domain again.`;
  const failed = await changeSite({ id, hostname }, async (transaction) => {
    const domain = await markFailed(transaction, id, failure, MOVED_UNTIL_LOST_MS);
    // A right answer came meanwhile, or another process was faster.
    if (domain !== undefined) {
      await onUnserved(transaction, domain);
      const event = { domainId: id, domain: hostname, message: failure };
      await emitEvent(transaction, domain.accountId, 'domain.failed', event);
    }
    return domain;
  });
  if (failed === undefined) return;
  const { accountId } = failed;
  log.info({ domainId: id, accountId, hostname, problem }, 'domain failed: its DNS records lead elsewhere');
}
