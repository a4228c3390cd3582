/** Domains over HTTP (spec 4.1 to 4.4, spec D29). */
import { Router } from 'express';
import type { Plans } from '../accounts/plans.ts';
import type { CertificateSummary } from '../certificates/certificate.ts';
import { findCertificateSummary } from '../certificates/certificate-store.ts';
import { findLastCheck, type LastCheck } from '../domains/check-store.ts';
import { type CreateDomainOptions, createDomain } from '../domains/create-domain.ts';
import { type DeleteDomainOptions, deleteDomain } from '../domains/delete-domain.ts';
import { wantedRecords } from '../domains/dns-facts.ts';
import type { Domain, DomainSummary } from '../domains/domain.ts';
import { listDomainSummaries } from '../domains/domain-store.ts';
import { getOwnDomain, getOwnDomainSummary } from '../domains/own-domain.ts';
import { type VerifyDomainOptions, verifyDomain } from '../domains/verify-domain.ts';
import { isoSeconds } from '../platform/iso-seconds.ts';
import { answer } from '../web/envelope.ts';
import { readMembers } from '../web/json-body.ts';
import { methodNotAllowed } from '../web/not-found.ts';
import type { Authenticated } from './authenticate.ts';
import type { Cursors } from './cursors.ts';
import { PAGE_PARAMETERS, readPage } from './pages.ts';

export interface DomainRoutesOptions extends CreateDomainOptions, VerifyDomainOptions, DeleteDomainOptions {
  readonly plans: Plans;
  readonly maxBodyBytes: number;
  readonly cursors: Cursors;
}

export function domainRoutes(options: DomainRoutesOptions, authenticated: Authenticated): Router {
  const { database, plans, maxBodyBytes, cursors } = options;
  const router = Router({ caseSensitive: true, strict: true });

  router
    .route('/api/domains')
    .post(
      authenticated(async (caller, request, response) => {
        const members = await readMembers(request, response, ['hostname'], maxBodyBytes);
        const limit = plans[caller.plan].domains;
        const domain = await createDomain(options, caller.accountId, limit, members.get('hostname'));
        answer(response, 201, describeDomain(domain));
      }),
    )
    .get(
      authenticated(async (caller, request, response) => {
        const { accountId } = caller;
        const { rows, pagination } = await readPage(request, cursors, {
          accountId,
          list: 'domains',
          read: (limit, after) =>
            listDomainSummaries(database, accountId, limit, after === undefined ? undefined : Number(after)),
          positionOf: ({ position }) => String(position),
        });
        answer(response, 200, rows.map(summarizeDomain), { pagination });
      }, PAGE_PARAMETERS),
    )
    .all(methodNotAllowed('GET', 'HEAD', 'POST'));

  router
    .route('/api/domains/:id')
    .get(
      authenticated(async (caller, request, response) => {
        const domain = await getOwnDomainSummary(database, caller.accountId, String(request.params.id));
        const [check, certificate] = await Promise.all([
          findLastCheck(database, domain.id),
          findCertificateSummary(database, domain.id),
        ]);
        answer(response, 200, {
          ...summarizeDomain(domain),
          ...describeFailure(domain),
          dns: describeDns(domain, check),
          certificate: certificate === undefined ? null : describeCertificate(certificate),
        });
      }),
    )
    .delete(
      authenticated(async (caller, request, response) => {
        const domain = await getOwnDomain(database, caller.accountId, String(request.params.id));
        await deleteDomain(options, domain);
        const message = 'The domain and all its sitemaps have been deleted.';
        answer(response, 200, { id: domain.id, hostname: domain.hostname, deleted: true, message });
      }),
    )
    .all(methodNotAllowed('GET', 'HEAD', 'DELETE'));

  router
    .route('/api/domains/:id/verify')
    .post(
      authenticated(async (caller, request, response) => {
        const own = await getOwnDomain(database, caller.accountId, String(request.params.id));
        const { domain, message } = await verifyDomain(options, own);
        const { id, hostname, status, sslStatus, verifiedAt } = domain;
        const verified = verifiedAt === null ? {} : { verifiedAt: isoSeconds(verifiedAt) };
        answer(response, 200, { id, hostname, status, sslStatus, ...verified, message });
      }),
    )
    .all(methodNotAllowed('POST'));

  return router;
}

function describeDomain({ id, hostname, status, sslStatus, cnameTarget, createdAt }: Domain) {
  return { id, hostname, status, sslStatus, cnameTarget, createdAt: isoSeconds(createdAt) };
}

function describeFailure({ status, failure }: Domain) {
  return status === 'failed' && failure !== null ? { message: failure } : {};
}

function describeDns(domain: Domain, { found, problem, checkedAt }: LastCheck) {
  return { ...wantedRecords(domain), found, problem, checkedAt: checkedAt && isoSeconds(checkedAt) };
}

function describeCertificate({ issuer, lastError, ...times }: CertificateSummary) {
  const { notAfter, renewAt, nextAttemptAt } = times;
  return {
    issuer,
    notAfter: notAfter && isoSeconds(notAfter),
    renewAt: renewAt && isoSeconds(renewAt),
    lastError,
    nextAttemptAt: nextAttemptAt && isoSeconds(nextAttemptAt),
  };
}

function summarizeDomain(domain: DomainSummary) {
  const { createdAt, ...rest } = describeDomain(domain);
  const { urlCount, sitemapCount, lastUpdated } = domain;
  return { ...rest, urlCount, sitemapCount, lastUpdated: lastUpdated && isoSeconds(lastUpdated), createdAt };
}
