/**
 * Holds an upload that the guard of its domain refused. Its files stay for a day, and the client can publish them
 * without sending them again.
 */
import { shownSitemapName } from '../../../core/sitemap/file-names.ts';
import { isoSeconds } from '../../../platform/iso-seconds.ts';
import { type Database, inTransaction, type Transaction } from '../../../platform/postgres/database.ts';
import { addGarbage } from '../../sites/garbage-store.ts';
import { emitEvent } from '../../webhooks/emit-event.ts';
import type { Attempt } from '../attempt.ts';
import { insertAttemptPatiently } from '../attempt-store.ts';
import { describeRemoval, GuardRefusal } from '../guard.ts';
import { type HeldUploadRow, insertHeldUpload } from '../held-upload-store.ts';
import type { StagedFile, Staging } from '../staging.ts';
import { filesBeside, numbersOf, prefixesOf } from './staged-upload.ts';

const HOLD_MS = 24 * 3_600_000;

export interface HoldWatch {
  /** Undefined if the attempt is recorded already. */
  readonly attempt: Attempt | undefined;
  /** Runs in the transaction. May lock rows after the locks of domains and before the locks of `garbage`. */
  readonly onHeld?: ((transaction: Transaction) => Promise<void>) | undefined;
}

/**
 * Stores small files too. `ordered` are the files of the staging that are held. Returns a refusal that names the held upload, and records
 * this refusal in `attempt`. If the function throws, the files may be kept nevertheless.
 */
export async function holdUpload(
  database: Database,
  upload: Omit<HeldUploadRow, 'id' | 'files'>,
  staged: Pick<Staging, 'uploadId' | 'files' | 'storeAll' | 'keep'>,
  ordered: readonly StagedFile[],
  { shrinkage }: GuardRefusal,
  { attempt, onHeld }: HoldWatch,
): Promise<GuardRefusal> {
  await staged.storeAll();
  const { uploadId } = staged;
  const files = ordered.map(({ content: _, ...file }) => file);
  // A placement makes files for the generation that is live now. Do not hold these files, because another generation may be live when the
  // upload is published.
  const unused = prefixesOf(uploadId, filesBeside(staged.files, numbersOf(ordered)));
  const { accountId, domainId, hostname, sitemapName } = upload;
  const { removed, former, percent } = describeRemoval(shrinkage);
  const refusal = new GuardRefusal(shrinkage, uploadId);
  const ended = attempt?.end('held', refusal);
  await inTransaction(database, async (transaction) => {
    // Record the attempt before the answer, because the client may read or publish the upload at once. Record it first in the transaction,
    // because this locks the domain, and a deletion locks the domain before rows of `garbage`.
    if (ended !== undefined) await insertAttemptPatiently(transaction, ended);
    await onHeld?.(transaction);
    const heldUntil = await insertHeldUpload(transaction, { ...upload, id: uploadId, files }, HOLD_MS);
    if (unused.length > 0) await addGarbage(transaction, unused, HOLD_MS);
    await emitEvent(transaction, accountId, 'upload.held', {
      domainId,
      domain: hostname,
      sitemapName: shownSitemapName(sitemapName),
      uploadId,
      urlCount: shrinkage.urlCount,
      formerUrlCount: former,
      removed,
      percent,
      heldUntil: isoSeconds(heldUntil),
    });
    staged.keep();
  });
  return refusal;
}
