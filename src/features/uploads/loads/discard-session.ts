/** Ends the session of a load that publishes nothing. */
import type { Transaction } from '../../../platform/postgres/database.ts';
import { endWriters } from '../sessions/part-store.ts';
import { discardObjects, endSession, lockSession } from '../sessions/session-store.ts';
import type { Load } from './load.ts';

/** The store may still complete a put that timed out. */
const UNUSED_MS = 60_000;

export async function discardSession(
  transaction: Transaction,
  { accountId, sessionId }: Pick<Load, 'accountId' | 'sessionId'>,
): Promise<void> {
  const session = await lockSession(transaction, accountId, sessionId);
  if (session?.status !== 'open' && session?.status !== 'committing') return;
  await endSession(transaction, sessionId, 'aborted');
  await discardObjects(transaction, session, UNUSED_MS);
  await endWriters(transaction, [sessionId]);
}
