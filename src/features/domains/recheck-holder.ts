/** Makes the holder of a hostname due for a check at once, because another account wants the hostname. */
import type { Database } from '../../platform/postgres/database.ts';
import { findHolder, hastenCheck } from './check-store.ts';

/** Returns false when no other account has verified the hostname. */
export async function recheckHolder(
  database: Database,
  { accountId, hostname }: { readonly accountId: string; readonly hostname: string },
): Promise<boolean> {
  const holder = await findHolder(database, hostname);
  if (holder === undefined || holder.accountId === accountId) return false;
  // The queue of checks finds the due domain within a second.
  await hastenCheck(database, holder.id);
  return true;
}
