/** Changes how much of a sitemap an upload may remove (`features/uploads/guard.ts`). */
import { type Database, inTransaction } from '../../platform/postgres/database.ts';
import type { Domain, WithDomain } from './domain.ts';
import { setGuard } from './domain-store.ts';

/** Null switches the guard off. `onChanged` runs in the transaction, if the value differs from the former one. */
export async function changeGuard(
  database: Database,
  domain: Domain,
  maxRemovedPercent: number | null,
  onChanged: WithDomain,
): Promise<void> {
  await inTransaction(database, async (transaction) => {
    const hasChanged = await setGuard(transaction, domain.id, maxRemovedPercent);
    if (hasChanged) await onChanged(transaction, { ...domain, maxRemovedPercent });
  });
}
