/** Cancels a load for its owner. The process that works on the load notices the end when it renews its lease. */
import { type Database, inTransaction, type Transaction } from '../../../platform/postgres/database.ts';
import { Refusal } from '../../../platform/refusal.ts';
import type { Actor } from '../../accounts/actor.ts';
import { holdCaller } from '../../accounts/hold-caller.ts';
import { insertAttemptPatiently } from '../attempt-store.ts';
import { discardSession } from '../sessions/end-sessions.ts';
import { noSuchLoad } from './load.ts';
import { cutLoad, type FoundLoad, findLoad, findScheduledLoad } from './load-store.ts';
import { attemptOf } from './load-work.ts';

/**
 * Returns the age of the load in ms. Clients may repeat the request, so a load that was canceled before is no error: returns undefined.
 * Throws Refusal CONFLICT if the load has ended in another way.
 */
export async function cancelLoad(database: Database, caller: Actor, id: string): Promise<number | undefined> {
  return inTransaction(database, async (transaction) => {
    await holdCaller(transaction, caller);
    const load = await findLoad(transaction, caller.accountId, id);
    if (load === undefined) throw noSuchLoad();
    if (load.outcome === 'canceled') return undefined;
    if (load.hasEnded) throw hasEnded(load.outcome);
    await cancel(transaction, load);
    return load.ageMs;
  });
}

/** Cancels the load that a schedule has begun for the sitemap, if it is under way. The caller has locked the domain. */
export async function cancelScheduledLoad(
  transaction: Transaction,
  domainId: string,
  sitemapName: string,
): Promise<void> {
  const load = await findScheduledLoad(transaction, domainId, sitemapName);
  if (load !== undefined) await cancel(transaction, load);
}

async function cancel(transaction: Transaction, load: FoundLoad): Promise<void> {
  // This statement locks the domain, so it comes before the lock of the session.
  await insertAttemptPatiently(transaction, attemptOf(load).end('canceled', null)!);
  await discardSession(transaction, load);
  if (!(await cutLoad(transaction, load.id))) throw hasEnded(null);
}

function hasEnded(outcome: string | null): Refusal {
  return new Refusal('CONFLICT', `The load has ended already${outcome === null ? '' : `: ${outcome}`}.`);
}
