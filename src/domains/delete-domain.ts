/** Deletes domains for good: their rows and their sites at once, their objects later. */
import type { Log } from '../platform/log.ts';
import type { Database, Transaction } from '../platform/postgres/database.ts';
import { type ChangeSite, type Domain, needsVerification, type WithDomain } from './domain.ts';
import { deleteDomainRow, listExpiredDomains, lockDomainForDeletion } from './domain-store.ts';

export interface DeleteDomainOptions {
  readonly changeSite: ChangeSite;
  /** Lists the objects of the domain for deletion: of all uploads, and of URLs that wait to be submitted. */
  readonly discardUploads: (transaction: Transaction, domainId: string) => Promise<void>;
  /** Called when the domain was served. Its row is still there. */
  readonly onUnserved: WithDomain;
}

/** A domain that is not verified by then is deleted (spec D30). */
export const PENDING_MS = 30 * 24 * 3_600_000;
const PAGE = 100;

/** `onDeleted`: in the transaction, unless somebody else has deleted it. */
export async function deleteDomain(
  options: DeleteDomainOptions,
  domain: Domain,
  onDeleted?: WithDomain,
): Promise<void> {
  await deleteIf(options, domain, () => true, onDeleted);
}

/** Deletes the domains that were never verified. Any number of processes may run it at once. */
export async function deleteExpiredDomains(
  options: DeleteDomainOptions & { readonly database: Database; readonly log: Log },
): Promise<void> {
  let expired: Domain[];
  do {
    expired = await listExpiredDomains(options.database, PENDING_MS, PAGE);
    for (const domain of expired) {
      const { id: domainId, accountId, hostname } = domain;
      // It may be verified meanwhile.
      const isDeleted = await deleteIf(options, domain, ({ status }) => status === 'pending_verification');
      if (isDeleted) options.log.info({ domainId, accountId, hostname }, 'domain deleted: never verified');
    }
  } while (expired.length === PAGE);
}

async function deleteIf(
  { changeSite, discardUploads, onUnserved }: DeleteDomainOptions,
  domain: Domain,
  isDue: (domain: Domain) => boolean,
  onDeleted?: WithDomain,
): Promise<boolean> {
  return changeSite(domain, async (transaction) => {
    // Wait for an upload that is being published, so that its objects are listed too.
    const locked = await lockDomainForDeletion(transaction, domain.id);
    if (locked === undefined || !isDue(locked)) return false;
    await discardUploads(transaction, locked.id);
    if (!needsVerification(locked)) await onUnserved(transaction, locked);
    await deleteDomainRow(transaction, locked.id);
    await onDeleted?.(transaction, locked);
    return true;
  });
}
