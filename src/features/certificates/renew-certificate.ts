/** Orders a new certificate of a domain now. */
import { enqueueIssuance } from '../../core/jobs/enqueue-issuance.ts';
import { type Database, inTransaction } from '../../platform/postgres/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { renewNow } from './certificate-list-store.ts';

/** Enqueues the job that orders the certificate. Throws Refusal CONFLICT for a domain that is not served. */
export async function renewCertificate(
  database: Database,
  { id, hostname }: { readonly id: string; readonly hostname: string },
): Promise<void> {
  await inTransaction(database, async (transaction) => {
    if (!(await renewNow(transaction, id)))
      throw new Refusal('CONFLICT', `${hostname} is not served. Verify it first.`);
    await enqueueIssuance(transaction, id);
  });
}
