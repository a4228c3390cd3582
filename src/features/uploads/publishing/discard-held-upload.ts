/** Discards a held upload before its hold ends. The next collection deletes its files, and its attempt says that it was discarded. */
import { type Database, openTransaction, type Transaction } from '../../../platform/postgres/database.ts';
import { Refusal } from '../../../platform/refusal.ts';
import type { Actor } from '../../accounts/actor.ts';
import { holdCaller } from '../../accounts/hold-caller.ts';
import { endHold, findHeldUpload, type HeldUpload, lockHeldUpload } from '../held-upload-store.ts';

type Discarded = Pick<HeldUpload<unknown>, 'id' | 'domainId' | 'hostname' | 'sitemapName'>;

/**
 * Discards a held upload. `onDiscarded` runs in the transaction. If the hold has ended already, changes nothing, because the files are
 * deleted anyway. Throws Refusal NOT_FOUND, or CONFLICT if the upload has been published.
 */
export async function discardHeldUpload(
  database: Database,
  caller: Actor,
  uploadId: string,
  onDiscarded: (transaction: Transaction, discarded: Discarded) => Promise<unknown> = async () => {},
): Promise<void> {
  await using opened = await openTransaction(database);
  const { transaction } = opened;
  // Take locks in the same order as publish-held-upload.ts.
  await holdCaller(transaction, caller);
  const held = await findHeldUpload(transaction, caller.accountId, uploadId);
  const locked = held && (await lockHeldUpload(transaction, uploadId));
  if (locked === undefined) throw new Refusal('NOT_FOUND', 'There is no such held upload.');
  if (locked.published !== null)
    throw new Refusal('CONFLICT', 'This upload has been published. Roll back instead.');
  if (!locked.isHeld) return;
  await endHold(transaction, uploadId);
  await onDiscarded(transaction, locked);
  await opened.commit();
}
