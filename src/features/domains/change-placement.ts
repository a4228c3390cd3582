/** Changes where uploads of a domain put their entries, unless they say otherwise. */
import { type Database, inTransaction } from '../../platform/postgres/database.ts';
import type { Domain, Placement, WithDomain } from './domain.ts';
import { setPlacement } from './domain-store.ts';

/** `onChanged` runs in the transaction, if the value differs from the former one. */
export async function changePlacement(
  database: Database,
  domain: Domain,
  placement: Placement,
  onChanged: WithDomain,
): Promise<void> {
  await inTransaction(database, async (transaction) => {
    const hasChanged = await setPlacement(transaction, domain.id, placement);
    if (hasChanged) await onChanged(transaction, { ...domain, placement });
  });
}
