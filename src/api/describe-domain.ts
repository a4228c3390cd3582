/** Domains as the API shows them (spec 2.1, spec D44, spec D45). */
import type { CertificateSummary } from '../certificates/certificate.ts';
import type { LastCheck } from '../domains/check-store.ts';
import { isProxied } from '../domains/cloudflare-ranges.ts';
import type { CreatedDomain } from '../domains/create-domain.ts';
import { PENDING_MS } from '../domains/delete-domain.ts';
import { wantedRecords } from '../domains/dns-facts.ts';
import type { Domain, DomainSummary } from '../domains/domain.ts';
import { isoSeconds } from '../platform/iso-seconds.ts';

function describeDomain({ id, hostname, status, sslStatus, cnameTarget, createdAt }: Domain) {
  return { id, hostname, status, sslStatus, cnameTarget, createdAt: isoSeconds(createdAt) };
}

export function describeCreated({ domain, warnings }: CreatedDomain) {
  return { ...describeDomain(domain), ...(warnings.length > 0 && { warnings }) };
}

/** As lists show it. */
export function summarizeDomain(domain: DomainSummary) {
  const { createdAt, ...rest } = describeDomain(domain);
  const { urlCount, sitemapCount, lastUpdated } = domain;
  return { ...rest, urlCount, sitemapCount, lastUpdated: lastUpdated && isoSeconds(lastUpdated), createdAt };
}

export function describeWholeDomain(
  domain: DomainSummary,
  check: LastCheck,
  certificate: CertificateSummary | undefined,
) {
  return {
    ...summarizeDomain(domain),
    ...describeFailure(domain),
    pendingUntil: pendingUntil(domain),
    dns: describeDns(domain, check),
    certificate: certificate === undefined ? null : describeCertificate(certificate),
    indexNow: { enabled: domain.isIndexNowEnabled },
    guard: { maxRemovedPercent: domain.maxRemovedPercent },
  };
}

/** When a domain that is not verified by then is deleted. */
function pendingUntil({ status, createdAt }: Domain): string | null {
  if (status !== 'pending_verification') return null;
  return isoSeconds(new Date(createdAt.getTime() + PENDING_MS));
}

function describeFailure({ status, failure }: Domain) {
  return status === 'failed' && failure !== null ? { message: failure } : {};
}

function describeDns(domain: Domain, { found, problem, checkedAt, nextCheckAt }: LastCheck) {
  return {
    ...wantedRecords(domain),
    found,
    proxied: problem !== null && isProxied(domain.hostname, found),
    problem,
    checkedAt: checkedAt && isoSeconds(checkedAt),
    nextCheckAt: nextCheckAt && isoSeconds(nextCheckAt),
  };
}

function describeCertificate({ issuer, lastError, ...times }: CertificateSummary) {
  const { notBefore, notAfter, renewAt, nextAttemptAt } = times;
  return {
    issuer,
    notBefore: notBefore && isoSeconds(notBefore),
    notAfter: notAfter && isoSeconds(notAfter),
    renewAt: renewAt && isoSeconds(renewAt),
    lastError,
    nextAttemptAt: nextAttemptAt && isoSeconds(nextAttemptAt),
  };
}
