/**
 * Verifies domains automatically once their DNS records are right. Any number of processes may sweep at once, because each
 * takes different domains. The next check of a domain is planned before its present check begins.
 */
import pMap from 'p-map';
import type { Log } from '../../platform/log.ts';
import { steadyNow } from '../../platform/steady-clock.ts';
import { takeDuePending } from './check-store.ts';
import type { Domain } from './domain.ts';
import { type VerifyDomainOptions, verifyDomain } from './verify-domain.ts';

/** The domains that one sweep verifies at once. The checks of `recheck-domains.ts` run beside them. */
const AT_ONCE = 8;
const GROUP = 40;
const MAX_CHECKS = 400;
/** The time limit of one sweep in ms. A sweep begins every 10 s, so this limit is shorter. */
const MAX_MS = 8000;

export async function verifyPending(options: VerifyDomainOptions & { readonly log: Log }): Promise<void> {
  const endsAt = steadyNow() + MAX_MS;
  for (let taken = 0; taken < MAX_CHECKS && steadyNow() < endsAt; ) {
    const due = await takeDuePending(options.database, Math.min(GROUP, MAX_CHECKS - taken));
    if (due.length === 0) return;
    taken += due.length;
    await pMap(due, (domain) => verify(options, domain), { concurrency: AT_ONCE });
  }
}

/** Verifies a domain. A failure affects only this domain. */
async function verify(options: VerifyDomainOptions & { readonly log: Log }, pending: Domain): Promise<void> {
  const { id: domainId, accountId, hostname } = pending;
  try {
    const { domain } = await verifyDomain(options, pending);
    if (domain.status === 'verified')
      options.log.info({ domainId, accountId, hostname }, 'domain verified by itself');
  } catch (err) {
    options.log.warn({ err, domainId, hostname }, 'the check of a domain failed');
  }
}
