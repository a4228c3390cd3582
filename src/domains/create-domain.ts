/**
 * Registers a hostname for an account. Registrations of others do not matter until one of them is verified. Then the
 * holder is checked again at once, because the hostname may have moved.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type { Turns } from '../platform/concurrency/turns.ts';
import type { NewId } from '../platform/ids.ts';
import type { Database, Transaction } from '../platform/postgres/database.ts';
import { Refusal } from '../platform/refusal.ts';
import { recordDiagnosis } from './check-store.ts';
import { type CnameTargets, cnameTargetFor } from './cname-target.ts';
import type { Diagnose } from './diagnose-domain.ts';
import type { Diagnosis } from './diagnosis.ts';
import { type Domain, needsDns } from './domain.ts';
import { insertDomain } from './domain-store.ts';
import { type HostnameRules, parseHostname } from './hostname.ts';
import { recheckHolder } from './recheck-holder.ts';
import { websiteWarning } from './website-warning.ts';

export interface CreateDomainOptions {
  readonly database: Database;
  readonly newId: NewId;
  readonly hostnameRules: HostnameRules;
  readonly cnameTargets: CnameTargets;
  readonly diagnose: Diagnose;
  /** Of accounts. */
  readonly diagnosisTurns: Turns;
}

export interface CreatedDomain {
  readonly domain: Domain;
  /** For people. */
  readonly warnings: readonly string[];
}

/** Whoever registers a hostname does not wait longer for resolvers. */
const LOOK_MS = 1500;

/** `domainLimit`: the limit of the account's plan. `onCreated`: in the transaction. Throws Refusal VALIDATION_ERROR or CONFLICT. */
export async function createDomain(
  options: CreateDomainOptions,
  accountId: string,
  domainLimit: number,
  givenHostname: unknown,
  onCreated?: (transaction: Transaction, created: CreatedDomain) => Promise<void>,
): Promise<CreatedDomain> {
  const hostname = parseHostname(givenHostname, options.hostnameRules);
  // An account that verifies the hostname after this moment does no harm: the first to verify has it.
  if (await recheckHolder(options.database, { accountId, hostname })) throw heldByAnother(hostname);
  const cnameTarget = cnameTargetFor(options.cnameTargets, accountId, hostname);
  const diagnosis = await lookAt(options, { accountId, hostname, cnameTarget });
  const warning = websiteWarning(hostname, diagnosis);
  const warnings = warning === undefined ? [] : [warning];
  const wanted = { id: options.newId('domain'), accountId, hostname, cnameTarget };
  const domain = await insertDomain(options.database, wanted, domainLimit, async (transaction, created) => {
    // Its page then says at once what is there.
    if (warning !== undefined && diagnosis?.addresses.found.length)
      await recordDiagnosis(transaction, created.id, diagnosis);
    await onCreated?.(transaction, { domain: created, warnings });
  });
  return { domain, warnings };
}

/** Undefined without an answer in time. */
async function lookAt(
  { diagnose, diagnosisTurns }: CreateDomainOptions,
  { accountId, hostname, cnameTarget }: Pick<Domain, 'accountId' | 'hostname' | 'cnameTarget'>,
): Promise<Diagnosis | undefined> {
  if (!needsDns(hostname)) return undefined;
  const looked = diagnosisTurns.run(accountId, () => diagnose(hostname, cnameTarget));
  // Too late for anybody.
  looked.catch(() => {});
  return Promise.race([looked.catch(() => undefined), delay(LOOK_MS, undefined, { ref: false })]);
}

function heldByAnother(hostname: string): Refusal {
  return new Refusal(
    'CONFLICT',
    `Another account has verified the hostname ${hostname}. Its DNS records are checked again now. When they have not led to that account for 7 days, the hostname becomes free.`,
  );
}
