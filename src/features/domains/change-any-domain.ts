/** Registers, verifies and deletes domains of any account for an operator, and records each change in the audit log of the account. */
import { canonicalHostname } from '../../platform/dns/dns-name.ts';
import { inTransaction, type Queryable, type Transaction } from '../../platform/postgres/database.ts';
import { invalidField, Refusal } from '../../platform/refusal.ts';
import { type Operator, operatorOf } from '../accounts/actor.ts';
import { insertAuditEvent } from '../accounts/audit-store.ts';
import { endChecks } from './check-store.ts';
import { type CreateDomainOptions, createDomain } from './create-domain.ts';
import { type DeleteDomainOptions, deleteDomain } from './delete-domain.ts';
import { type Domain, needsVerification, type WithDomain } from './domain.ts';
import { findDomain, findDomainsByHostname } from './domain-store.ts';
import { type VerifyDomainOptions, verifyUnchecked } from './verify-domain.ts';

/** A domain that an operator wants an account to have. */
export interface WantedDomain {
  readonly accountId: string;
  readonly hostname: string;
  /** The most domains that the account may have. */
  readonly limit: number;
  readonly website: boolean | undefined;
}

/** Registers the hostname, or finds the domain that the account has for it. Throws Refusal as `createDomain` does. */
export async function putDomain(
  options: CreateDomainOptions,
  operator: Operator,
  { accountId, hostname, limit, website }: WantedDomain,
): Promise<Domain> {
  const find = async () => {
    const canonical = canonicalHostname(hostname);
    if (canonical === undefined) return undefined;
    const [found] = await findDomainsByHostname(options.database, [{ accountId, hostname: canonical }]);
    return found;
  };
  const found = await find();
  if (found !== undefined) return found;
  const record: Parameters<typeof createDomain>[4] = (transaction, { domain }) =>
    insertAuditEvent(transaction, operatorOf(accountId, operator), {
      ...{ action: 'domain.added', subject: domain.hostname, details: { domainId: domain.id } },
    });
  try {
    return (await createDomain(options, accountId, limit, hostname, record, website)).domain;
  } catch (error) {
    // Another request may have registered the hostname meanwhile.
    const other = error instanceof Refusal && error.code === 'CONFLICT' ? await find() : undefined;
    if (other === undefined) throw error;
    return other;
  }
}

/**
 * Verifies the domain without a look at DNS. Its DNS records are never checked later, even if it was verified by them before. `hasChanged`:
 * false if the domain was verified and unchecked already. Throws Refusal CONFLICT when another account holds the hostname, and NOT_FOUND
 * when the domain is gone.
 */
export async function verifyByForce(
  { database, openChange, onVerified }: Pick<VerifyDomainOptions, 'database' | 'openChange' | 'onVerified'>,
  operator: Operator,
  domain: Domain,
): Promise<{ readonly verified: Domain; readonly hasChanged: boolean }> {
  const { id: domainId, accountId, hostname } = domain;
  const record = (transaction: Transaction) =>
    insertAuditEvent(transaction, operatorOf(accountId, operator), {
      ...{ action: 'domain.verified_by_force', subject: hostname, details: { domainId } },
    });
  let hasChanged = false;
  const recorded: WithDomain = async (transaction, verified) => {
    await onVerified(transaction, verified);
    await record(transaction);
    hasChanged = true;
  };
  const verified = needsVerification(domain)
    ? await verifyUnchecked({ openChange, onVerified: recorded }, domain, { isChecked: false })
    : domain;
  if (verified === undefined) throw new Refusal('NOT_FOUND', 'There is no such domain.');
  // If the domain was verified by its DNS records, perhaps just now, end its checks.
  await inTransaction(database, async (transaction) => {
    if ((await endChecks(transaction, [domainId])).length === 0) return;
    await record(transaction);
    hasChanged = true;
  });
  return { verified, hasChanged };
}

export async function deleteAnyDomain(
  options: DeleteDomainOptions,
  operator: Operator,
  domain: Domain,
): Promise<void> {
  const { id: domainId, accountId, hostname } = domain;
  await deleteDomain(options, domain, (transaction) =>
    insertAuditEvent(transaction, operatorOf(accountId, operator), {
      action: 'domain.deleted',
      subject: hostname,
      details: { domainId },
    }),
  );
}

/** Throws Refusal NOT_FOUND. */
export async function getAnyDomain(queryable: Queryable, id: string): Promise<Domain> {
  const domain = await findDomain(queryable, id);
  if (domain === undefined) throw new Refusal('NOT_FOUND', 'There is no such domain.');
  return domain;
}

/**
 * Returns the ids of the account's domains with these hostnames, in the order of the hostnames. Throws Refusal VALIDATION_ERROR for a
 * hostname that the account has not registered.
 */
export async function findDomainIds(
  queryable: Queryable,
  accountId: string,
  given: readonly string[],
): Promise<string[]> {
  const hostnames = given.map((one) => ({ accountId, hostname: canonicalHostname(one) ?? one }));
  const found = await findDomainsByHostname(queryable, hostnames);
  return found.map((domain, i) => {
    if (domain === undefined) throw invalidField(`domains[${i}]`, given[i], 'is not a domain of the account');
    return domain.id;
  });
}
