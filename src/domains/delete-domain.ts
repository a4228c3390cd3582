/** Deletes a domain for good: its rows and its site at once, its objects later. */
import type { Transaction } from '../platform/postgres/database.ts';
import type { ChangeSite, Domain } from './domain.ts';
import { deleteDomainRow, lockDomainForDeletion } from './domain-store.ts';

export interface DeleteDomainOptions {
  readonly changeSite: ChangeSite;
  /** Lists the objects of all uploads of the domain for deletion. */
  readonly discardUploads: (transaction: Transaction, domainId: string) => Promise<void>;
}

export async function deleteDomain(options: DeleteDomainOptions, domain: Domain): Promise<void> {
  await options.changeSite(domain, async (transaction) => {
    // Wait for an upload that is being published, so that its objects are listed too.
    await lockDomainForDeletion(transaction, domain.id);
    await options.discardUploads(transaction, domain.id);
    await deleteDomainRow(transaction, domain.id);
  });
}
