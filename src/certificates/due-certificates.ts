/** Which certificates are to be worked on, and when. A job does each of them (`issue-certificate.ts`). */
import type { Database } from '../platform/postgres/database.ts';
import { deleteLeftCertificates, findDelay, listDueCertificates } from './certificate-store.ts';
import { type IssueCertificateOptions, issueCertificate } from './issue-certificate.ts';

/** More often than this, nobody looks for what is due. Jobs that are due sooner are enqueued at once. */
const SWEEP_MS = 60_000;
/** With 10 jobs at once, that is some minutes of work. The next sweep finds the rest. */
const MAX_AT_ONCE = 2_000;

/** Enqueues the work on a certificate, in place of a waiting job for it. */
export type EnqueueIssuance = (domainId: string, delayMs: number) => Promise<void>;

/** For a job that runs every minute. */
export async function enqueueDueCertificates(database: Database, enqueue: EnqueueIssuance): Promise<void> {
  await deleteLeftCertificates(database);
  for (const { domainId, delayMs } of await listDueCertificates(database, SWEEP_MS + 10_000, MAX_AT_ONCE)) {
    await enqueue(domainId, delayMs);
  }
}

/** Works on one certificate, and comes back when the next step is due soon. */
export async function workOnCertificate(
  options: IssueCertificateOptions,
  domainId: string,
  enqueue: EnqueueIssuance,
): Promise<void> {
  const leasedMs = await issueCertificate(options, domainId);
  const delayMs = leasedMs || (await findDelay(options.database, domainId));
  if (delayMs !== undefined && delayMs < SWEEP_MS) await enqueue(domainId, delayMs);
}
