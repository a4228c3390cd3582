/** Finds the certificates that need work now or soon. A job does the work on each of them (`issue-certificate.ts`). */
import {
  deleteLeftCertificates,
  findDelay,
  listDueFirsts,
  listDueRenewals,
  postponeFirsts,
} from './certificate-store.ts';
import { type IssueCertificateOptions, issueCertificate, withoutAuthority } from './issue-certificate.ts';
import type { Issuer } from './issuer.ts';
import { OPERATOR_MS } from './retry-times.ts';

/** The time between two sweeps for due certificates. Jobs that are due sooner are enqueued at once. */
const SWEEP_MS = 60_000;
/** The most renewals of one sweep. A sweep needs 1,400 for a million certificates, which ask for their renewal times every 12 hours. */
const RENEWALS_AT_ONCE = 4_000;
/** The most first certificates of one sweep. An authority allows fewer new orders in a minute, so the rest can wait for later sweeps. */
const FIRSTS_AT_ONCE = 1_000;

const NO_ROOM =
  'The certificate authority issues no more certificates for now: Waypost has ordered as many as its own limit allows.';

/**
 * Enqueues the job for a certificate, in place of a waiting job for the same certificate. A job with `isFirst`, for a first certificate,
 * runs after all other jobs.
 */
export type EnqueueIssuance = (domainId: string, delayMs: number, isFirst?: boolean) => Promise<void>;

/**
 * Enqueues the work on all due certificates, and deletes expired certificates of deleted domains. Puts off the first certificates of
 * hostnames for which there is no authority, and those beyond the number of orders that may begin now. If a thousand jobs ask for these
 * orders, chance decides which certificates come first, and not their priority. A job calls this function every minute.
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
  const rooms = new Map<Issuer, number>();
  const without: { readonly domainId: string; readonly message: string }[] = [];
  const waiting: typeof without = [];
  for (const { domainId, hostname, isOrdered, delayMs } of firsts) {
    const issuer = authorities?.issuerFor(hostname);
    if (issuer === undefined) {
      without.push({ domainId, message: withoutAuthority(hostname) });
      continue;
    }
    const room = rooms.get(issuer) ?? (await issuer.room());
    rooms.set(issuer, isOrdered ? room : Math.max(0, room - 1));
    if (isOrdered || room >= 1) await enqueue(domainId, delayMs, true);
    else waiting.push({ domainId, message: NO_ROOM });
  }
  if (without.length > 0) await postponeFirsts(database, without, OPERATOR_MS);
  // The next sweep sees these certificates again, and none of them is due sooner than before.
  if (waiting.length > 0) await postponeFirsts(database, waiting, withinMs);
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
