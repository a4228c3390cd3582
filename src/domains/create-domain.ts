/** Registers a hostname for an account. */
import type { Database } from '../platform/database.ts';
import type { NewId } from '../platform/ids.ts';
import { type CnameTargets, cnameTargetFor } from './cname-target.ts';
import type { Domain } from './domain.ts';
import { insertDomain } from './domain-store.ts';
import { type HostnameRules, parseHostname } from './hostname.ts';

export interface DomainCreation {
  readonly database: Database;
  readonly newId: NewId;
  readonly hostnameRules: HostnameRules;
  readonly cnameTargets: CnameTargets;
}

/** `domainLimit`: of the account's plan. Throws Refusal: VALIDATION_ERROR, CONFLICT. */
export async function createDomain(
  parts: DomainCreation,
  accountId: string,
  domainLimit: number,
  givenHostname: unknown,
): Promise<Domain> {
  const hostname = parseHostname(givenHostname, parts.hostnameRules);
  const cnameTarget = cnameTargetFor(parts.cnameTargets, accountId, hostname);
  const domain = { id: parts.newId('domain'), accountId, hostname, cnameTarget };
  return insertDomain(parts.database, domain, domainLimit);
}
