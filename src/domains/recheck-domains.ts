/**
 * Checks the DNS records of served domains again (`watch.ts`). Any number of processes may sweep at once: each takes
 * other domains. If one dies, its domains are due again 10 minutes later.
 */
import pMap from 'p-map';
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
const AT_ONCE = 8;
const GROUP = 40;
/** In a sweep, one a minute: 576,000 a day. After an outage of all sweeps the rest waits, so resolvers see no flood. */
const MAX_CHECKS = 400;
/** A sweep ends before the next one begins, also when no resolver answers. */
const MAX_MS = 20_000;

export async function recheckDomains(options: RecheckDomainsOptions): Promise<void> {
  const endsAt = performance.now() + MAX_MS;
  for (let taken = 0; taken < MAX_CHECKS && performance.now() < endsAt; ) {
    const due = await takeDueChecks(options.database, Math.min(GROUP, MAX_CHECKS - taken));
    if (due.length === 0) return;
    taken += due.length;
    await pMap(due, (domain) => recheck(options, domain), { concurrency: AT_ONCE });
  }
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
