/**
 * Brings a verified domain to a live certificate, and replaces an old certificate:
 *
 *   take the lease → see what is due → check the DNS records → order, prove, finalize (`issuer.ts`)
 *   → check the chain → change the site: the certificate, and the domain is active
 *
 * The work also takes expired certificates out of the sites, and keeps the renewal times up to date.
 *
 * The process may die at any point, and any process may call `issueCertificate` at any time. The database has the state of the work, so
 * another process continues an order where it stopped. Hosting reads the certificate from object storage, where the change of the site
 * writes the certificate.
 */
import { isoSeconds } from '../../platform/iso-seconds.ts';
import type { KeyRing } from '../../platform/key-ring.ts';
import type { Log } from '../../platform/log.ts';
import { type Database, inTransaction, type Transaction } from '../../platform/postgres/database.ts';
import { holdLease } from '../../platform/postgres/hold-lease.ts';
import { LeaseLost } from '../../platform/postgres/lease.ts';
import { Refusal } from '../../platform/refusal.ts';
import {
  markActive,
  markCertificateExpired,
  markCertificateFailed,
} from '../domains/certificate-state-store.ts';
import type { OpenChange } from '../domains/domain.ts';
import { lockDomain } from '../domains/domain-store.ts';
import { emitEvent } from '../webhooks/emit-event.ts';
import type { Certificate, CertificateWork } from './certificate.ts';
import {
  endLease,
  keepCertificate,
  postpone,
  renewLease,
  saveCertificate,
  saveExpiry,
  saveFailure,
  saveOrder,
  saveRenewalTime,
  stopAriChecks,
  stopCertificate,
  takeLease,
} from './certificate-store.ts';
import { describeIssued } from './describe-issued.ts';
import { IssuanceError, type IssuanceFailure, type Issuer, type SavedOrder } from './issuer.ts';
import { LEASE_MS } from './leased-certificate.ts';
import { nextAriCheck, nextRenewalTime } from './renewal-time.ts';
import { FAILURES_UNTIL_FAILED, isGivenUp, OPERATOR_MS, outageDelayMs, retryDelayMs } from './retry-times.ts';

export type IssuanceOutcome = 'issued' | 'renewed' | 'kept' | 'expired' | IssuanceFailure;

export interface Authorities {
  /** The keys that seal private keys. */
  readonly keys: KeyRing;
  /** Returns the issuer for a hostname; undefined if no authority issues for it. */
  readonly issuerFor: (hostname: string) => Issuer | undefined;
}

export interface IssueCertificateOptions {
  readonly database: Database;
  /** The certificate authorities; undefined while the operator has configured none. */
  readonly authorities: Authorities | undefined;
  readonly openChange: OpenChange;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  readonly log: Log;
  readonly report: (outcome: IssuanceOutcome) => void;
}

/**
 * Works on the certificate of a domain. If another process has the lease, returns the milliseconds until that lease ends. Otherwise
 * returns 0.
 */
export async function issueCertificate(options: IssueCertificateOptions, domainId: string): Promise<number> {
  const { database } = options;
  const work = await takeLease(database, domainId);
  if (work === undefined) return 0;
  if ('leasedMs' in work) return work.leasedMs;
  await using lease = holdLease({
    lengthMs: LEASE_MS,
    renew: () => renewLease(database, work),
    release: () => endLease(database, work),
  });
  try {
    await doWhatIsDue(options, work, lease.signal);
  } catch (error) {
    // If the lease is lost, another process does the rest. If the domain is deleted, there is nothing to do.
    const isLost = error instanceof LeaseLost || lease.signal.aborted;
    if (!isLost) await endInFailure(options, work, error);
  }
  return 0;
}

async function doWhatIsDue(
  options: IssueCertificateOptions,
  work: CertificateWork,
  signal: AbortSignal,
): Promise<void> {
  if (!work.isWanted) return stopCertificate(options.database, work.domainId);
  const valid = validCertificate(work);
  // Each run does one step. The next run reads the new state, possibly in another process.
  if (valid === undefined && work.isActive) return endExpired(options, work);
  const isOfUse = valid !== undefined && (!work.isActive || work.now < valid.renewAt);
  if (work.isDue) return isOfUse ? reuseCertificate(options, work) : issue(options, work, signal);
  if (work.isAriCheckDue) return updateRenewalTime(options, work, valid);
}

function validCertificate({ certificate, now }: CertificateWork): Certificate | undefined {
  return certificate && now < certificate.notAfter ? certificate : undefined;
}

export const withoutAuthority = (hostname: string) =>
  `This service has no certificate authority for ${hostname}. Ask its operator.`;

async function issue(
  options: IssueCertificateOptions,
  work: CertificateWork,
  signal: AbortSignal,
): Promise<void> {
  const { database, authorities } = options;
  const { hostname, cnameTarget, order, certificate: former, now } = work;
  const issuer = authorities?.issuerFor(hostname);
  if (authorities === undefined || issuer === undefined) {
    // Only the operator can help, so the attempt does not count as a failure.
    return postpone(database, work, { message: withoutAuthority(hostname), retryMs: OPERATOR_MS });
  }
  const save = (saved: SavedOrder | undefined) => saveOrder(database, work, saved);
  const request = { ...{ hostname, cnameTarget, order, former, now, signal }, saveOrder: save };
  const describing = { issuer, keys: authorities.keys, random: options.random };
  const issued = await issuer.issue(request);
  const { certificate, ariCheckAt } = await describeIssued(describing, request, issued);
  await goLive(options, work, (transaction) => saveCertificate(transaction, work, certificate, ariCheckAt));
  options.report(former === undefined ? 'issued' : 'renewed');
  const { issuer: by, notAfter, renewAt } = certificate;
  options.log.info({ hostname, issuer: by, notAfter, renewAt }, 'certificate issued');
}

async function goLive(
  { openChange }: IssueCertificateOptions,
  { domainId, accountId, hostname, isActive }: CertificateWork,
  save: (transaction: Transaction) => Promise<void>,
): Promise<void> {
  try {
    await using change = await openChange();
    const { transaction } = change;
    await lockDomain(transaction, domainId);
    await save(transaction);
    await markActive(transaction, domainId);
    if (!isActive) await emitEvent(transaction, accountId, 'domain.active', { domainId, domain: hostname });
    await change.commit({ id: domainId, hostname });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new IssuanceError('refused', error.message, { cause: error });
  }
}

/** Puts the certificate that the account already has for this hostname into use. If its renewal is due, the next run renews it. */
async function reuseCertificate(options: IssueCertificateOptions, work: CertificateWork): Promise<void> {
  await goLive(options, work, (transaction) => keepCertificate(transaction, work));
  options.report('kept');
}

async function updateRenewalTime(
  { authorities, database, random }: IssueCertificateOptions,
  work: CertificateWork,
  certificate: Certificate | undefined,
): Promise<void> {
  if (certificate === undefined) return stopAriChecks(database, work);
  // If the authority does not answer, the renewal time stays as it is.
  const issuer = authorities?.issuerFor(work.hostname);
  const window = await issuer?.renewalWindow(certificate).catch(() => undefined);
  const ariCheckAt = nextAriCheck(work.now, window);
  const renewAt = nextRenewalTime(certificate, window, work.now, random());
  await saveRenewalTime(database, work, renewAt, ariCheckAt);
}

/** Serves the site without its expired certificate until the next certificate is issued, because clients refuse an expired certificate. */
async function endExpired(
  { openChange, report, log }: IssueCertificateOptions,
  work: CertificateWork,
): Promise<void> {
  const { domainId, hostname } = work;
  await using change = await openChange();
  await lockDomain(change.transaction, domainId);
  await saveExpiry(change.transaction, work);
  await markCertificateExpired(change.transaction, domainId);
  await change.commit({ id: domainId, hostname });
  report('expired');
  log.error({ hostname }, 'certificate expired: it could not be renewed');
}

async function endInFailure(
  options: IssueCertificateOptions,
  work: CertificateWork,
  error: unknown,
): Promise<void> {
  const failure = error instanceof IssuanceError ? error : unexpected(error);
  options.report(failure.failure);
  const { hostname } = work;
  const { message } = failure;
  options.log.warn({ hostname, failure: failure.failure, err: failure }, 'no certificate');
  try {
    if (failure.failure === 'unavailable') {
      const retryMs = outageDelayMs(failure.retryAfterMs, options.random());
      await postpone(options.database, work, { message, retryMs });
    } else {
      await recordFailure(options, work, failure);
    }
  } catch (lost) {
    if (!(lost instanceof LeaseLost)) throw lost;
  }
}

/**
 * Records a failed attempt. A domain without a valid certificate becomes failed after FAILURES_UNTIL_FAILED failures in a row, or at once
 * after a refusal. A domain with a valid certificate stays active until the certificate expires.
 */
async function recordFailure(
  options: IssueCertificateOptions,
  work: CertificateWork,
  { failure, message }: IssuanceError,
): Promise<void> {
  const { domainId, accountId, hostname, now, failingSince } = work;
  const failures = work.failures + 1;
  const isValid = validCertificate(work) !== undefined;
  const isFailed = !isValid && (failure === 'refused' || failures >= FAILURES_UNTIL_FAILED);
  // Give up only failed domains, because only they can be verified again. A domain may have few failures in many days, if outages lie
  // between.
  const isGone = isFailed && isGivenUp(failingSince, now);
  const retryMs = isGone ? undefined : retryDelayMs(failures, options.random());
  const save = async (transaction: Transaction) => {
    await saveFailure(transaction, work, { message, retryMs });
    const nextAttemptAt = retryMs === undefined ? null : isoSeconds(new Date(now.getTime() + retryMs));
    const event = { domainId, domain: hostname, message, nextAttemptAt };
    await emitEvent(transaction, accountId, 'certificate.failed', event);
  };
  if (!isFailed) return inTransaction(options.database, save);
  await using change = await options.openChange();
  const { transaction } = change;
  await lockDomain(transaction, domainId);
  await save(transaction);
  const wasServed = await markCertificateFailed(transaction, domainId, message);
  const event = { domainId, domain: hostname, message };
  if (wasServed) await emitEvent(transaction, accountId, 'domain.failed', event);
  await change.commit({ id: domainId, hostname });
}

/** Returns the error that customers see for a fault of ours. Only operators see its cause. */
function unexpected(cause: unknown): IssuanceError {
  const message = 'Something went wrong while the certificate was issued. It will be tried again.';
  return new IssuanceError('unavailable', message, { cause });
}
