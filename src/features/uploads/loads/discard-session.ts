/** Ends the session of a load that publishes nothing. */
import type { Transaction } from '../../../platform/postgres/database.ts';
import { UNUSED_MS } from '../publishing/staged-upload.ts';
import { abortLocked } from '../sessions/end-sessions.ts';
import { lockSession } from '../sessions/session-store.ts';
import type { Load } from './load.ts';

export async function discardSession(
  transaction: Transaction,
  { accountId, sessionId }: Pick<Load, 'accountId' | 'sessionId'>,
): Promise<void> {
  const session = await lockSession(transaction, accountId, sessionId);
  if (session?.status !== 'open' && session?.status !== 'committing') return;
  await abortLocked(transaction, session, UNUSED_MS);
}
