/** Ends upload sessions: for their owner, for a load that publishes nothing, or when their time is over. */
import { type Database, inTransaction, type Transaction } from '../../../platform/postgres/database.ts';
import { deleteInPortions } from '../../../platform/postgres/delete-in-portions.ts';
import type { Actor } from '../../accounts/actor.ts';
import { holdCaller } from '../../accounts/hold-caller.ts';
import { endHold, lockHeldUpload } from '../held-upload-store.ts';
import { UNUSED_MS } from '../publishing/staged-upload.ts';
import { endWriters } from './part-store.ts';
import { noSuchSession, notOpen, type UploadSession } from './session.ts';
import {
  discardObjects,
  endSession,
  expireSessions,
  listUncleared,
  lockSession,
  markCleared,
} from './session-store.ts';

/**
 * Aborts a session, and discards its upload if that is held. A repeated call does nothing more. Throws Refusal CONFLICT if the session is
 * committed, or is being committed.
 */
export async function abortSession(database: Database, caller: Actor, id: string): Promise<UploadSession> {
  return inTransaction(database, async (transaction) => {
    await holdCaller(transaction, caller);
    const session = await lockSession(transaction, caller.accountId, id);
    if (session === undefined) throw noSuchSession();
    const { status, uploadId } = session;
    if (status === 'committed' || status === 'committing') throw notOpen(status);
    if (status === 'held') {
      const held = await lockHeldUpload(transaction, uploadId);
      if (held !== undefined && held.published !== null) throw notOpen('committed');
      await endHold(transaction, uploadId);
    }
    if (status !== 'aborted') await abortLocked(transaction, session, 0);
    return { ...session, status: 'aborted', expiresAt: null };
  });
}

/** Ends the session of a load that publishes nothing. */
export async function discardSession(
  transaction: Transaction,
  { accountId, sessionId }: { readonly accountId: string; readonly sessionId: string },
): Promise<void> {
  const session = await lockSession(transaction, accountId, sessionId);
  if (session?.status !== 'open' && session?.status !== 'committing') return;
  await abortLocked(transaction, session, UNUSED_MS);
}

/** Aborts a session that the caller has locked. Its objects are deleted after `afterMs`. */
async function abortLocked(
  transaction: Transaction,
  session: Pick<UploadSession, 'id' | 'uploadId'>,
  afterMs: number,
): Promise<void> {
  await endSession(transaction, session.id, 'aborted');
  await discardObjects(transaction, session, afterMs);
  await endWriters(transaction, [session.id]);
}

const PORTION = 100;
const PORTION_PARTS = 1000;
/** SQL: how long sessions are kept after they were opened. During this time, a repeated commit gets its answer. */
const KEPT = `interval '14 days'`;

/**
 * Ends expired sessions, deletes the parts of ended sessions, and deletes sessions 14 days after they were opened. Any number of processes
 * may run this at once.
 */
export async function sweepSessions(database: Database): Promise<void> {
  let expired: readonly string[];
  do {
    expired = await inTransaction(database, async (transaction) => {
      const ids = await expireSessions(transaction, PORTION);
      if (ids.length > 0) await endWriters(transaction, ids);
      return ids;
    });
  } while (expired.length > 0);
  await clearParts(database);
  await deleteInPortions(
    database,
    `DELETE FROM upload_sessions WHERE id IN (
       SELECT id FROM upload_sessions WHERE created_at < now() - ${KEPT} AND is_cleared ORDER BY created_at LIMIT $1)`,
    [],
    PORTION,
  );
}

/** Deletes the parts of ended sessions. A session may have 10,000 large rows. */
async function clearParts(database: Database): Promise<void> {
  for (;;) {
    const ids = await listUncleared(database, PORTION);
    if (ids.length === 0) return;
    await deleteInPortions(
      database,
      `DELETE FROM upload_session_parts WHERE (session_id, part) IN (
         SELECT session_id, part FROM upload_session_parts WHERE session_id = ANY($1) LIMIT $2)`,
      [ids],
      PORTION_PARTS,
    );
    await markCleared(database, ids);
  }
}
