/** Makes the holder of a hostname due for a check at once, because another account wants the hostname. */
import type { Database } from '../../platform/postgres/database.ts';
import { findHolders, hastenCheck } from './check-store.ts';
import type { OwnHostname } from './domain-store.ts';

/** Returns false when no other account has verified the hostname. */
export async function recheckHolder(
  database: Database,
  { accountId, hostname }: OwnHostname,
): Promise<boolean> {
  const [holder] = await findHolders(database, [hostname]);
  if (holder === undefined || holder.accountId === accountId) return false;
  // The queue of checks finds the due domain within a second.
  await hastenCheck(database, holder.id);
  return true;
}
