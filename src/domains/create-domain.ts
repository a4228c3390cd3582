/**
 * Registers a hostname for an account. Registrations of others do not matter until one of them is verified. Then the
 * holder is checked again at once, because the hostname may have moved.
 */

import type { NewId } from '../platform/ids.ts';
import type { Database } from '../platform/postgres/database.ts';
import { Refusal } from '../platform/refusal.ts';
import { type CnameTargets, cnameTargetFor } from './cname-target.ts';
import type { Domain, WithDomain } from './domain.ts';
import { insertDomain } from './domain-store.ts';
import { type HostnameRules, parseHostname } from './hostname.ts';
import { recheckHolder } from './recheck-holder.ts';

export interface CreateDomainOptions {
  readonly database: Database;
  readonly newId: NewId;
  readonly hostnameRules: HostnameRules;
  readonly cnameTargets: CnameTargets;
}

/** `domainLimit`: the limit of the account's plan. `onCreated`: in the transaction. Throws Refusal VALIDATION_ERROR or CONFLICT. */
export async function createDomain(
  options: CreateDomainOptions,
  accountId: string,
  domainLimit: number,
  givenHostname: unknown,
  onCreated?: WithDomain,
): Promise<Domain> {
  const hostname = parseHostname(givenHostname, options.hostnameRules);
  // An account that verifies the hostname after this moment does no harm: the first to verify has it.
  if (await recheckHolder(options.database, { accountId, hostname })) throw heldByAnother(hostname);
  const cnameTarget = cnameTargetFor(options.cnameTargets, accountId, hostname);
  const domain = { id: options.newId('domain'), accountId, hostname, cnameTarget };
  return insertDomain(options.database, domain, domainLimit, onCreated);
}

function heldByAnother(hostname: string): Refusal {
  return new Refusal(
    'CONFLICT',
    `Another account has verified the hostname ${hostname}. Its DNS records are checked again now. When they have not led to that account for 7 days, the hostname becomes free.`,
  );
}
