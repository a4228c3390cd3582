/** Cancels a load for its owner. The process that works on the load notices the end when it renews its lease. */
import { type Database, inTransaction, type Transaction } from '../../../platform/postgres/database.ts';
import { Refusal } from '../../../platform/refusal.ts';
import type { Actor } from '../../accounts/actor.ts';
import { holdCaller } from '../../accounts/hold-caller.ts';
import { insertAttemptPatiently } from '../attempt-store.ts';
import { discardSession } from '../sessions/end-sessions.ts';
import { noSuchLoad } from './load.ts';
import { cutLoad, type FoundLoad, findLoad } from './load-store.ts';
import { attemptOf } from './load-work.ts';

/**
 * Returns the age of the load in ms. Returns undefined for a load that was canceled before, because clients may repeat the request. Throws
 * Refusal CONFLICT if the load has ended in another way.
 */
export async function cancelLoad(database: Database, caller: Actor, id: string): Promise<number | undefined> {
  return inTransaction(database, async (transaction) => {
    await holdCaller(transaction, caller);
    const load = await findLoad(transaction, caller.accountId, id);
    if (load === undefined) throw noSuchLoad();
    if (load.outcome === 'canceled') return undefined;
    if (load.hasEnded || !(await cancelFound(transaction, load))) throw hasEnded(load.outcome);
    return load.ageMs;
  });
}

/** Cancels a load. Returns false if the load has ended meanwhile. */
export async function cancelFound(transaction: Transaction, load: FoundLoad): Promise<boolean> {
  // This statement locks the domain, so it comes before the lock of the session.
  await insertAttemptPatiently(transaction, attemptOf(load).end('canceled', null)!);
  await discardSession(transaction, load);
  return cutLoad(transaction, load.id);
}

function hasEnded(outcome: string | null): Refusal {
  return new Refusal('CONFLICT', `The load has ended already${outcome === null ? '' : `: ${outcome}`}.`);
}
