/**
 * Registers a hostname for an account, even if other accounts have registered it. If another account has verified the hostname, the
 * registration is refused, and the domain of that account is checked again at once, because the hostname may have moved.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Turns } from '../../platform/concurrency/turns.ts';
import type { NewId } from '../../platform/ids.ts';
import type { Database, Transaction } from '../../platform/postgres/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { recordDiagnosis, recordJudgement } from './check-store.ts';
import { type CnameTargets, cnameTargetFor } from './cname-target.ts';
import type { Diagnose } from './diagnose-domain.ts';
import type { Diagnosis } from './diagnosis.ts';
import { type Domain, needsDns } from './domain.ts';
import { insertDomain } from './domain-store.ts';
import { type HostnameRules, parseHostname } from './hostname.ts';
import type { Judgement } from './judgement.ts';
import { recheckHolder } from './recheck-holder.ts';
import { websiteWarning } from './website-warning.ts';

export interface CreateDomainOptions {
  readonly database: Database;
  readonly newId: NewId;
  readonly hostnameRules: HostnameRules;
  readonly cnameTargets: CnameTargets;
  readonly diagnose: Diagnose;
  /** Accounts take turns at diagnoses. */
  readonly diagnosisTurns: Turns;
}

export interface CreatedDomain {
  readonly domain: Domain;
  /** Texts for people. */
  readonly warnings: readonly string[];
}

/** A registration waits no longer than this for resolvers. */
const LOOK_MS = 1500;
const FOUND_NOTHING: ReadonlySet<Judgement['state']> = new Set(['not_found', 'no_answer']);

/**
 * `domainLimit` is the limit of the account's plan. `onCreated` runs in the transaction. `givenWebsite`: whether the hostname has a
 * website, as its owner says; if false, there is no warning. `addedBy`: the id of a person or a key. Throws Refusal VALIDATION_ERROR or
 * CONFLICT, and UNAUTHORIZED when the account is gone.
 */
export async function createDomain(
  options: CreateDomainOptions,
  accountId: string,
  domainLimit: number,
  givenHostname: unknown,
  onCreated?: (transaction: Transaction, created: CreatedDomain) => Promise<void>,
  givenWebsite?: boolean,
  addedBy?: string | null,
): Promise<CreatedDomain> {
  const hostname = parseHostname(givenHostname, options.hostnameRules);
  // Another account may verify the hostname after this check. That account then holds the hostname, because the first to verify holds it.
  if (await recheckHolder(options.database, { accountId, hostname })) throw heldByAnother(hostname);
  const cnameTarget = cnameTargetFor(options.cnameTargets, accountId, hostname);
  const diagnosis = await lookAt(options, { accountId, hostname, cnameTarget }, givenWebsite ?? null);
  const warning = givenWebsite === false ? undefined : websiteWarning(hostname, diagnosis);
  const warnings = warning === undefined ? [] : [warning];
  // A name without a warning counts as a name without a website. So an address that the name gets later counts as a try to follow our
  // advice.
  const website = givenWebsite ?? (diagnosis === undefined ? null : warning !== undefined);
  const wanted = { id: options.newId('domain'), accountId, hostname, cnameTarget, website, addedBy };
  const domain = await insertDomain(options.database, wanted, domainLimit, async (transaction, created) => {
    // Store the diagnosis, so that the page of the domain shows the records at once. Right records are stored when the domain is verified.
    if (diagnosis !== undefined && diagnosis.verdict !== 'right')
      await (warning === undefined && FOUND_NOTHING.has(diagnosis.judgement.state)
        ? recordJudgement(transaction, created.id, diagnosis)
        : recordDiagnosis(transaction, created.id, diagnosis));
    await onCreated?.(transaction, { domain: created, warnings });
  });
  return { domain, warnings };
}

/** Returns undefined if the hostname needs no DNS, or if DNS gives no answer in time. */
async function lookAt(
  { diagnose, diagnosisTurns }: CreateDomainOptions,
  { accountId, hostname, cnameTarget }: Pick<Domain, 'accountId' | 'hostname' | 'cnameTarget'>,
  website: boolean | null,
): Promise<Diagnosis | undefined> {
  if (!needsDns(hostname)) return undefined;
  const looked = diagnosisTurns.run(accountId, () => diagnose(hostname, cnameTarget, website));
  // A failure after LOOK_MS is ignored.
  looked.catch(() => {});
  return Promise.race([looked.catch(() => undefined), delay(LOOK_MS, undefined, { ref: false })]);
}

export function heldByAnother(hostname: string): Refusal {
  return new Refusal(
    'CONFLICT',
    `Another account has verified the hostname ${hostname}. Its DNS records are checked again now. When they have not led to that account for 7 days, the hostname becomes free.`,
  );
}
