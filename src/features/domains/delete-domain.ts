/** Deletes domains for good: their rows and their sites at once, their objects later. */
import type { Log } from '../../platform/log.ts';
import type { Database, Transaction } from '../../platform/postgres/database.ts';
import { type Domain, needsVerification, type OpenChange, type WithDomain } from './domain.ts';
import { deleteDomainRow, listExpiredDomains, lockDomainForDeletion } from './domain-store.ts';

export interface DeleteDomainOptions {
  readonly openChange: OpenChange;
  /** Lists the objects of the domain for deletion: the objects of all its uploads, and of URLs that wait to be submitted. */
  readonly discardUploads: (transaction: Transaction, domainId: string) => Promise<void>;
  /** Called if the domain was served, before its row is deleted. */
  readonly onUnserved: WithDomain;
}

/** A domain that is not verified after this time is deleted (spec D30). */
export const PENDING_MS = 30 * 24 * 3_600_000;
const PAGE = 100;

/** Deletes a domain. `onDeleted` runs in the transaction, unless another request has already deleted the domain. */
export async function deleteDomain(
  options: DeleteDomainOptions,
  domain: Domain,
  onDeleted?: WithDomain,
): Promise<void> {
  await deleteIf(options, domain, () => true, onDeleted);
}

/** Deletes the domains that were not verified within PENDING_MS. Any number of processes may run this function at once. */
export async function deleteExpiredDomains(
  options: DeleteDomainOptions & { readonly database: Database; readonly log: Log },
): Promise<void> {
  let expired: Domain[];
  do {
    expired = await listExpiredDomains(options.database, PENDING_MS, PAGE);
    for (const domain of expired) {
      const { id: domainId, accountId, hostname } = domain;
      // The domain may have been verified meanwhile.
      const isDeleted = await deleteIf(options, domain, ({ status }) => status === 'pending_verification');
      if (isDeleted) options.log.info({ domainId, accountId, hostname }, 'domain deleted: never verified');
    }
  } while (expired.length === PAGE);
}

async function deleteIf(
  { openChange, discardUploads, onUnserved }: DeleteDomainOptions,
  domain: Domain,
  isDue: (domain: Domain) => boolean,
  onDeleted?: WithDomain,
): Promise<boolean> {
  await using change = await openChange();
  const { transaction } = change;
  // Wait for an upload that is being published, so that its objects are listed too.
  const locked = await lockDomainForDeletion(transaction, domain.id);
  const isDeleted = locked !== undefined && isDue(locked);
  if (isDeleted) {
    await discardUploads(transaction, locked.id);
    if (!needsVerification(locked)) await onUnserved(transaction, locked);
    await deleteDomainRow(transaction, locked.id);
    await onDeleted?.(transaction, locked);
  }
  // Commit even if another process has deleted the domain: its site may not be removed yet.
  await change.commit(domain);
  return isDeleted;
}
