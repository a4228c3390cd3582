/** Removes a domain for good: its rows and its site at once, its objects later. */
import { type Database, inTransaction } from '../platform/database.ts';
import { addUploadsOfDomain } from '../sites/garbage-store.ts';
import { enqueuePublishSite } from '../sites/publish-site.ts';
import type { Domain } from './domain.ts';
import { deleteDomainRow, lockDomainRow } from './domain-store.ts';

export interface Deletion {
  readonly database: Database;
  readonly writeSite: (hostname: string) => Promise<unknown>;
  readonly keepReplacedMs: number;
}

export async function deleteDomain(parts: Deletion, domain: Domain): Promise<void> {
  await inTransaction(parts.database, async (transaction) => {
    // An upload that is being published finishes first, so that its objects are listed too.
    await lockDomainRow(transaction, domain.id);
    await addUploadsOfDomain(transaction, domain.id, parts.keepReplacedMs);
    await deleteDomainRow(transaction, domain.id);
    await enqueuePublishSite(transaction, domain.hostname);
  });
  await parts.writeSite(domain.hostname);
}
