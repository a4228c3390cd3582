/**
 * Orders the certificate of the API's own hostname (API_HOSTNAME), renews it, and seals its key anew. The row in `own_certificates` has the
 * state of the work, so any process can go on with an order. API processes read the row (`watch-own-certificate.ts`). The work never gives
 * up, so that no operator has to start it again.
 */
import { holdLease } from '../../../platform/postgres/hold-lease.ts';
import { LeaseLost } from '../../../platform/postgres/lease.ts';
import { certificateSubject } from '../../sites/certificate.ts';
import { describeIssued } from '../describe-issued.ts';
import type { Authorities, IssueCertificateOptions } from '../issue-certificate.ts';
import { IssuanceError, type Issuer, type SavedOrder } from '../issuer.ts';
import { LEASE_MS } from '../leased-certificate.ts';
import { nextAriCheck, nextRenewalTime } from '../renewal-time.ts';
import { outageDelayMs, retryDelayMs } from '../retry-times.ts';
import {
  addOwnHostname,
  deleteFormerOwn,
  endLease,
  listOwnCertificates,
  type OwnCertificateWork,
  renewLease,
  replaceOwnKey,
  saveCertificate,
  saveOrder,
  saveOwnFailure,
  saveRenewalTime,
  takeDueOwn,
} from './own-certificate-store.ts';

export interface OwnCertificateOptions extends Omit<IssueCertificateOptions, 'authorities' | 'openChange'> {
  readonly authorities: Authorities;
}

/** Does the due work for the certificate of `hostname`. A job calls this function every minute. */
export async function renewOwnCertificate(options: OwnCertificateOptions, hostname: string): Promise<void> {
  const { database, authorities, log } = options;
  await addOwnHostname(database, hostname);
  await deleteFormerOwn(database, hostname);
  await sealOwnAnew(options);
  const work = await takeDueOwn(database, hostname);
  if (work === undefined) return;
  await using lease = holdLease({
    lengthMs: LEASE_MS,
    renew: () => renewLease(database, work),
    release: () => endLease(database, work),
  });
  try {
    const issuer = authorities.issuerFor(hostname);
    if (issuer === undefined) throw new IssuanceError('unavailable', `No authority issues for ${hostname}.`);
    if (work.isDue) await issue(options, work, issuer, lease.signal);
    else await updateRenewalTime(options, work, issuer);
  } catch (error) {
    if (error instanceof LeaseLost || lease.signal.aborted) return;
    await fail(options, work, error).catch((lost) =>
      log.warn({ hostname, err: lost }, 'a failure was not saved'),
    );
  }
}

async function issue(
  { database, authorities, random, report, log }: OwnCertificateOptions,
  work: OwnCertificateWork,
  issuer: Issuer,
  signal: AbortSignal,
): Promise<void> {
  const { hostname, order, certificate: former, now } = work;
  const save = (saved: SavedOrder | undefined) => saveOrder(database, work, saved);
  const request = { ...{ hostname, order, former, now, signal }, cnameTarget: undefined, saveOrder: save };
  const issued = await issuer.issue(request);
  const { keys } = authorities;
  const { certificate, ariCheckAt } = await describeIssued({ issuer, keys, random }, request, issued);
  await saveCertificate(database, work, certificate, ariCheckAt);
  report(former === undefined ? 'issued' : 'renewed');
  const { issuer: by, notAfter, renewAt } = certificate;
  log.info({ hostname, issuer: by, notAfter, renewAt }, 'certificate of the API issued');
}

async function updateRenewalTime(
  { database, random }: OwnCertificateOptions,
  work: OwnCertificateWork,
  issuer: Issuer,
): Promise<void> {
  // A row without a certificate has no `ari_check_at`, so its work is due and does not come here.
  const certificate = work.certificate!;
  // If the authority does not answer, the renewal time stays as it is.
  const window = await issuer.renewalWindow(certificate).catch(() => undefined);
  const renewAt = nextRenewalTime(certificate, window, work.now, random());
  await saveRenewalTime(database, work, renewAt, nextAriCheck(work.now, window));
}

async function fail(
  { database, random, report, log }: OwnCertificateOptions,
  work: OwnCertificateWork,
  error: unknown,
): Promise<void> {
  const { hostname, failures } = work;
  const err =
    error instanceof IssuanceError
      ? error
      : new IssuanceError('unavailable', String(error), { cause: error });
  const { failure, message } = err;
  report(failure);
  log.error({ hostname, failure, err }, 'no certificate for the API');
  const counts = failure !== 'unavailable';
  const retryMs = counts ? retryDelayMs(failures + 1, random()) : outageDelayMs(err.retryAfterMs, random());
  await saveOwnFailure(database, work, { message, retryMs, counts });
}

/**
 * Seals the keys with the first of CERTIFICATE_KEYS, so that operators can remove the older ones. A key that cannot be opened stays as it is
 * (docs/decisions/0099). A former hostname of the API may have a certificate, too.
 */
async function sealOwnAnew({ database, authorities: { keys }, log }: OwnCertificateOptions): Promise<void> {
  for (const found of await listOwnCertificates(database)) {
    const { hostname, chain, key } = found;
    if (key.keyId === keys.keyId) continue;
    const anew = keys.reseal(key, certificateSubject(hostname, chain));
    if (anew !== undefined) await replaceOwnKey(database, found, anew);
    else log.error({ hostname }, 'no key of CERTIFICATE_KEYS opens the certificate of the API');
  }
}
