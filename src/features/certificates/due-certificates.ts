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
/** The most renewals of one sweep. A million certificates ask for their renewal times 1,400 times a minute. */
const RENEWALS_AT_ONCE = 4_000;
/** The most first certificates of one sweep. Authorities allow fewer, and the rest come in the order of their priority. */
const FIRSTS_AT_ONCE = 1_000;

/**
 * Enqueues the job for a certificate, in place of a waiting job for the same certificate. Jobs for first certificates run after all other
 * jobs.
 */
export type EnqueueIssuance = (domainId: string, delayMs: number, isFirst?: boolean) => Promise<void>;

/**
 * Deletes expired certificates of deleted domains, and enqueues the work on all due certificates. A job calls this function every minute.
 * First certificates of hostnames without an authority are put off in one statement.
 */
export async function enqueueDueCertificates(
  { database, authorities }: Pick<IssueCertificateOptions, 'database' | 'authorities'>,
  enqueue: EnqueueIssuance,
): Promise<void> {
  await deleteLeftCertificates(database);
  const withinMs = SWEEP_MS + 10_000;
  for (const { domainId, delayMs } of await listDueRenewals(database, withinMs, RENEWALS_AT_ONCE)) {
    await enqueue(domainId, delayMs);
  }
  const firsts = await listDueFirsts(database, withinMs, FIRSTS_AT_ONCE);
  const hasAuthority = ({ hostname }: DueFirst) => authorities?.issuerFor(hostname) !== undefined;
  const without = firsts.filter((one) => !hasAuthority(one));
  if (without.length > 0) {
    await postponeFirsts(
      database,
      without.map(({ domainId, hostname }) => ({ domainId, message: withoutAuthority(hostname) })),
      OPERATOR_MS,
    );
  }
  for (const { domainId, delayMs } of firsts.filter(hasAuthority)) await enqueue(domainId, delayMs, true);
}

/** Works on one certificate, and enqueues the next step if that is due before the next sweep. */
export async function workOnCertificate(
  options: IssueCertificateOptions,
  domainId: string,
  enqueue: EnqueueIssuance,
): Promise<void> {
  const leasedMs = await issueCertificate(options, domainId);
  const delayMs = leasedMs || (await findDelay(options.database, domainId));
  if (delayMs !== undefined && delayMs < SWEEP_MS) await enqueue(domainId, delayMs);
}
