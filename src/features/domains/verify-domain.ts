/**
 * Checks that the DNS records of a domain point to us and prove that the account owns it. From then on the domain is
 * served.
 */
import type { Turns } from '../../platform/concurrency/turns.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { emitEvent } from '../webhooks/emit-event.ts';
import { recordDiagnosis } from './check-store.ts';
import type { Diagnose } from './diagnose-domain.ts';
import { type Domain, needsDns, needsVerification, type OpenChange, type WithDomains } from './domain.ts';
import { findDomain, markVerified } from './domain-store.ts';
import { recheckHolder } from './recheck-holder.ts';
import { aboutADay } from './watch.ts';

export interface VerifyDomainOptions {
  readonly database: Database;
  readonly diagnose: Diagnose;
  /** Accounts take turns at diagnoses. A diagnosis uses some ten sockets, and holds them for seconds if resolvers are silent. */
  readonly diagnosisTurns: Turns;
  readonly openChange: OpenChange;
  /** Called when domains become verified. */
  readonly onVerified: WithDomains;
}

export interface VerificationOutcome {
  readonly domain: Domain;
  /** A text for people: the result, or the records that were found, those that are needed, and the cure. */
  readonly message: string;
}

export async function verifyDomain(
  options: VerifyDomainOptions,
  domain: Domain,
): Promise<VerificationOutcome> {
  if (!needsVerification(domain)) return { domain, message: 'The domain is verified already.' };
  const isChecked = needsDns(domain.hostname);
  const problem = isChecked ? await findProblem(options, domain) : null;
  if (problem !== null) return { domain, message: problem };
  try {
    return {
      domain: (await verifyUnchecked(options, domain, { isChecked })) ?? domain,
      message: 'The domain is verified. Its certificate is being issued, which takes 1 to 5 minutes.',
    };
  } catch (error) {
    if (!(error instanceof Refusal && error.code === 'CONFLICT')) throw error;
    await recheckHolder(options.database, domain);
    const { hostname } = domain;
    const message = `The DNS records are right, but another account has verified ${hostname} before. When they have not led to that account for 7 days, the hostname becomes free. Verify again then, or ask your operator.`;
    return { domain, message };
  }
}

/**
 * Verifies without a DNS lookup. Returns undefined when the domain was deleted meanwhile. Throws Refusal CONFLICT when
 * another account holds the hostname. `isChecked` says whether the DNS records are checked regularly from now on.
 */
export async function verifyUnchecked(
  { openChange, onVerified }: Pick<VerifyDomainOptions, 'openChange' | 'onVerified'>,
  domain: Domain,
  { isChecked }: { readonly isChecked: boolean },
): Promise<Domain | undefined> {
  await using change = await openChange();
  const { transaction } = change;
  const firstCheckInMs = isChecked ? aboutADay(Math.random()) : undefined;
  const verified = await markVerified(transaction, domain.id, firstCheckInMs);
  if (verified !== undefined) {
    await onVerified(transaction, verified);
    const { id: domainId, accountId, hostname } = verified;
    await emitEvent(transaction, accountId, 'domain.verified', { domainId, domain: hostname });
  }
  // The domain may have been verified or deleted meanwhile. Then its site is written once more, which does no harm.
  const newest = verified ?? (await findDomain(transaction, domain.id));
  await change.commit(domain);
  return newest;
}

async function findProblem(
  { database, diagnose, diagnosisTurns }: VerifyDomainOptions,
  { id, accountId, hostname, cnameTarget, website }: Domain,
): Promise<string | null> {
  const diagnosis = await diagnosisTurns.run(accountId, () => diagnose(hostname, cnameTarget, website));
  await recordDiagnosis(database, id, diagnosis);
  return diagnosis.problem;
}
