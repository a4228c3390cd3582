/** Which certificates are to be worked on, and when. A job does each of them (`issue-certificate.ts`). */
import type { Database } from '../platform/postgres/database.ts';
import { deleteLeftCertificates, findDelay, listDueFirsts, listDueRenewals } from './certificate-store.ts';
import { type IssueCertificateOptions, issueCertificate } from './issue-certificate.ts';

/** More often than this, nobody looks for what is due. Jobs that are due sooner are enqueued at once. */
const SWEEP_MS = 60_000;
/** The next sweep finds the rest. A million certificates ask for their renewal times 1,400 times a minute. */
const RENEWALS_AT_ONCE = 4_000;
/** Authorities allow fewer, and the others come in the order of their priority. */
const FIRSTS_AT_ONCE = 1_000;

/** Enqueues the work on a certificate, in place of a waiting job for it. Of what is due, first certificates come last. */
export type EnqueueIssuance = (domainId: string, delayMs: number, isFirst?: boolean) => Promise<void>;

/** For a job that runs every minute. */
export async function enqueueDueCertificates(database: Database, enqueue: EnqueueIssuance): Promise<void> {
  await deleteLeftCertificates(database);
  const withinMs = SWEEP_MS + 10_000;
  for (const { domainId, delayMs } of await listDueRenewals(database, withinMs, RENEWALS_AT_ONCE)) {
    await enqueue(domainId, delayMs);
  }
  for (const { domainId, delayMs } of await listDueFirsts(database, withinMs, FIRSTS_AT_ONCE)) {
    await enqueue(domainId, delayMs, true);
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
