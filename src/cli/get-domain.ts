/** Finds the account or the domain that an operator names. */
import { type Account, findAccount } from '../features/accounts/account-store.ts';
import type { DomainSummary } from '../features/domains/domain.ts';
import { listRegisteredDomains } from '../features/domains/domain-store.ts';
import { canonicalHostname } from '../platform/dns/dns-name.ts';
import type { Database } from '../platform/postgres/database.ts';
import { noAccount, noDomain, UsageError } from './usage-error.ts';

/** Throws UsageError if there is no such account. */
export async function getAccount(database: Database, id: string): Promise<Account> {
  const account = await findAccount(database, id);
  if (account === undefined) throw noAccount(id);
  return account;
}

/** The option that chooses among the domains of one hostname. */
export const ACCOUNT_OPTION = [
  '--account <account-id>',
  'the domain of this account, if several accounts have registered the hostname',
] as const;

export interface AccountOption {
  readonly account?: string;
}

/** Returns the domains of a hostname, at least one. Throws UsageError. */
export async function getDomains(
  database: Database,
  given: string,
  { account }: AccountOption = {},
): Promise<[DomainSummary, ...DomainSummary[]]> {
  const hostname = canonicalHostname(given) ?? given;
  const all = await listRegisteredDomains(database, hostname);
  const [first, ...rest] = all.filter(({ accountId }) => account === undefined || accountId === account);
  if (first === undefined) throw noDomain(hostname);
  return [first, ...rest];
}

/** Returns the one domain of a hostname, or of a hostname and an account. Throws UsageError. */
export async function getDomain(
  database: Database,
  given: string,
  option: AccountOption,
): Promise<DomainSummary> {
  const [domain, ...others] = await getDomains(database, given, option);
  if (others.length === 0) return domain;
  const accounts = [domain, ...others].map(({ accountId, status }) => `${accountId} (${status})`);
  throw new UsageError(
    `Several accounts have registered ${domain.hostname}: ${accounts.join(', ')}. Choose one with --account.`,
  );
}
