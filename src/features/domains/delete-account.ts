/** Deletes an account for good: first its domains, as a customer deletes them, then its history, its keys and its row. */
import { type Database, inTransaction } from '../../platform/postgres/database.ts';
import { deleteAccountRow, deleteHistory, lockAccount, setSuspended } from '../accounts/account-store.ts';
import { type DeleteDomainOptions, deleteDomain } from './delete-domain.ts';
import { hasDomains, listDomainSummaries } from './domain-store.ts';

/**
 * The domains that one statement lists. It reads all of their sitemaps, up to 10,000 of each, so a longer page could exceed its timeout.
 */
const PAGE = 10;

/**
 * Returns the deleted hostnames, or undefined when there is no such account. If the deletion breaks off, the account stays suspended, and
 * another call deletes the rest.
 */
export async function deleteAccount(
  options: DeleteDomainOptions & { readonly database: Database },
  accountId: string,
): Promise<string[] | undefined> {
  const { database } = options;
  // From here on, only requests that were admitted earlier can add domains.
  if ((await setSuspended(database, accountId, true)) === undefined) return undefined;
  const hostnames: string[] = [];
  do {
    for (const domain of await listDomainSummaries(database, accountId, PAGE, undefined)) {
      await deleteDomain(options, domain);
      hostnames.push(domain.hostname);
    }
    await deleteHistory(database, accountId);
  } while (!(await deleteWithoutDomains(database, accountId)));
  return hostnames;
}

/** Returns false, and deletes nothing, while the account has domains. */
async function deleteWithoutDomains(database: Database, accountId: string): Promise<boolean> {
  return inTransaction(database, async (transaction) => {
    await lockAccount(transaction, accountId);
    if (await hasDomains(transaction, accountId)) return false;
    await deleteAccountRow(transaction, accountId);
    return true;
  });
}
