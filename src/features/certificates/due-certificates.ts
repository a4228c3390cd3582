/** Finds the certificates that need work now or soon. A job does the work on each of them (`issue-certificate.ts`). */
import {
  type DueFirst,
  deleteLeftCertificates,
  findDelay,
  listDueFirsts,
  listDueRenewals,
  postponeFirsts,
} from './certificate-store.ts';
import { type IssueCertificateOptions, issueCertificate, withoutAuthority } from './issue-certificate.ts';
import { OPERATOR_MS } from './retry-times.ts';

/** The time between two sweeps for due certificates. Jobs that are due sooner are enqueued at once. */
const SWEEP_MS = 60_000;
/** The most renewals of one sweep. A sweep needs 1,400 for a million certificates, which ask for their renewal times every 12 hours. */
const RENEWALS_AT_ONCE = 4_000;
/** The most first certificates of one sweep. An authority allows fewer new orders in a minute, so the rest can wait for later sweeps. */
const FIRSTS_AT_ONCE = 1_000;

/**
 * Enqueues the job for a certificate, in place of a waiting job for the same certificate. A job with `isFirst`, for a first certificate,
 * runs after all other jobs.
 */
export type EnqueueIssuance = (domainId: string, delayMs: number, isFirst?: boolean) => Promise<void>;

/**
 * Enqueues the work on all due certificates, and deletes expired certificates of deleted domains. Puts off the first certificates of
 * hostnames for which there is no authority. A job calls this function every minute.
 */
export async function enqueueDueCertificates(
  { database, authorities }: Pick<IssueCertificateOptions, 'database' | 'authorities'>,
  enqueue: EnqueueIssuance,
): Promise<void> {
  const withinMs = SWEEP_MS + 10_000;
  for (const { domainId, delayMs } of await listDueRenewals(database, withinMs, RENEWALS_AT_ONCE)) {
    await enqueue(domainId, delayMs);
  }
  const firsts = await listDueFirsts(database, withinMs, FIRSTS_AT_ONCE);
  const hasAuthority = ({ hostname }: DueFirst) => authorities?.issuerFor(hostname) !== undefined;
  const without = firsts
    .filter((first) => !hasAuthority(first))
    .map(({ domainId, hostname }) => ({ domainId, message: withoutAuthority(hostname) }));
  if (without.length > 0) await postponeFirsts(database, without, OPERATOR_MS);
  for (const { domainId, delayMs } of firsts.filter(hasAuthority)) await enqueue(domainId, delayMs, true);
  // Delete last: a failure must not stop renewals.
  await deleteLeftCertificates(database);
}

/** Works on one certificate, and enqueues its next step if the step is due before the next sweep. */
export async function workOnCertificate(
  options: IssueCertificateOptions,
  domainId: string,
  enqueue: EnqueueIssuance,
): Promise<void> {
  const leasedMs = await issueCertificate(options, domainId);
  const delayMs = leasedMs || (await findDelay(options.database, domainId));
  if (delayMs !== undefined && delayMs < SWEEP_MS) await enqueue(domainId, delayMs);
}
