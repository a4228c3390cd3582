/** Has the holder of a hostname checked again at once, because somebody else wants the hostname. */
import { enqueueJob } from '../jobs/job-store.ts';
import type { Database } from '../platform/postgres/database.ts';
import { findHolder, hastenCheck } from './check-store.ts';

/** Returns false when no other account has verified the hostname. */
export async function recheckHolder(
  database: Database,
  { accountId, hostname }: { readonly accountId: string; readonly hostname: string },
): Promise<boolean> {
  const holder = await findHolder(database, hostname);
  if (holder === undefined || holder.accountId === accountId) return false;
  // If we die in between, the next sweep checks it, within a minute.
  if (await hastenCheck(database, holder.id)) {
    await enqueueJob(database, 'domains.recheck', {}, { key: 'domains.recheck' });
  }
  return true;
}
