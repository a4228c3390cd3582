/** Records what the owner of a domain says: whether its hostname has a website. Advice about its DNS records depends on it. */
import { type Database, inTransaction } from '../../platform/postgres/database.ts';
import type { Domain, WithDomain } from './domain.ts';
import { setWebsite } from './domain-store.ts';

/** `onChanged` runs in the transaction, if the value differs from the former one. */
export async function changeWebsite(
  database: Database,
  domain: Domain,
  website: boolean,
  onChanged: WithDomain,
): Promise<void> {
  await inTransaction(database, async (transaction) => {
    const hasChanged = await setWebsite(transaction, domain.id, website);
    if (hasChanged) await onChanged(transaction, { ...domain, website });
  });
}
