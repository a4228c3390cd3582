/** Registers a hostname for an account. */

import type { NewId } from '../platform/ids.ts';
import type { Database } from '../platform/postgres/database.ts';
import { type CnameTargets, cnameTargetFor } from './cname-target.ts';
import type { Domain } from './domain.ts';
import { insertDomain } from './domain-store.ts';
import { type HostnameRules, parseHostname } from './hostname.ts';

export interface CreateDomainOptions {
  readonly database: Database;
  readonly newId: NewId;
  readonly hostnameRules: HostnameRules;
  readonly cnameTargets: CnameTargets;
}

/** `domainLimit`: the limit of the account's plan. Throws Refusal VALIDATION_ERROR or CONFLICT. */
export async function createDomain(
  options: CreateDomainOptions,
  accountId: string,
  domainLimit: number,
  givenHostname: unknown,
): Promise<Domain> {
  const hostname = parseHostname(givenHostname, options.hostnameRules);
  const cnameTarget = cnameTargetFor(options.cnameTargets, accountId, hostname);
  const domain = { id: options.newId('domain'), accountId, hostname, cnameTarget };
  return insertDomain(options.database, domain, domainLimit);
}
