/** Finds a domain for an account, and refuses domains of other accounts. */
import { canonicalHostname } from '../../platform/dns/dns-name.ts';
import type { Database, Queryable } from '../../platform/postgres/database.ts';
import { lookUpInGroups } from '../../platform/postgres/in-groups.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Verb } from '../../platform/verb.ts';
import { unknownDomain } from '../accounts/key-scope.ts';
import type { Domain } from './domain.ts';
import { findDomain, findDomainSummary, findDomainsByHostname, type OwnHostname } from './domain-store.ts';

export type OwnDomain = Verb<typeof getOwnDomain>;

/** Throws NOT_FOUND for an unknown id, and FORBIDDEN for a domain of another account (spec D19). */
export async function getOwnDomain(queryable: Queryable, accountId: string, id: string): Promise<Domain> {
  return owned(await findDomain(queryable, id), accountId);
}

export async function getOwnDomainSummary(queryable: Queryable, accountId: string, id: string) {
  return owned(await findDomainSummary(queryable, id), accountId);
}

/**
 * Creates a function that finds an account's domain by hostname. It throws NOT_FOUND if this account has not registered the hostname, even
 * when another account has. Concurrent requests share a statement.
 */
export function createGetDomain(database: Database) {
  const find = lookUpInGroups(
    database,
    ({ accountId, hostname }: OwnHostname) => `${accountId} ${hostname}`,
    findDomainsByHostname,
  );
  return async (accountId: string, given: string): Promise<Domain> => {
    const hostname = canonicalHostname(given);
    if (hostname === undefined) throw unknownDomain('it must be a hostname such as sitemaps.example.com');
    const domain = await find({ accountId, hostname });
    if (!domain) throw unknownDomain();
    return domain;
  };
}

function owned<Found extends Pick<Domain, 'accountId'>>(domain: Found | undefined, accountId: string): Found {
  if (domain === undefined) throw new Refusal('NOT_FOUND', 'There is no such domain.');
  if (domain.accountId !== accountId)
    throw new Refusal('FORBIDDEN', 'This domain belongs to another account.');
  return domain;
}
