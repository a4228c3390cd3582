/**
 * Changes the site of a domain and rows that belong to the domain. The domain is locked first: whoever deletes it holds it when
 * those rows go, so in the other order the two would wait for each other.
 */
import type { Transaction } from '../platform/postgres/database.ts';
import type { ChangeSite, Domain } from './domain.ts';
import { lockDomain } from './domain-store.ts';

export function changeLockedSite<Result>(
  changeSite: ChangeSite,
  domain: Pick<Domain, 'id' | 'hostname'>,
  change: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  return changeSite(domain, async (transaction) => {
    await lockDomain(transaction, domain.id);
    return change(transaction);
  });
}
