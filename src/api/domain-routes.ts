/** Domains over HTTP (sections 4.1 to 4.4, decision 29). */
import { Router } from 'express';
import type { Plans } from '../accounts/plans.ts';
import { createDomain, type DomainCreation } from '../domains/create-domain.ts';
import { type Deletion, deleteDomain } from '../domains/delete-domain.ts';
import type { Domain, DomainSummary } from '../domains/domain.ts';
import { listDomainSummaries } from '../domains/domain-store.ts';
import { getOwnDomain, getOwnDomainSummary } from '../domains/own-domain.ts';
import { type Verification, verifyDomain } from '../domains/verify-domain.ts';
import { isoSeconds } from '../platform/iso-seconds.ts';
import { type Authentication, authenticated, type CallerHandler } from './authenticate.ts';
import type { Cursors } from './cursors.ts';
import { answer } from './envelope.ts';
import { readMembers } from './json-body.ts';
import { methodNotAllowed } from './not-found.ts';
import { readPage } from './pages.ts';

export interface DomainRoutesParts extends Authentication, DomainCreation, Verification, Deletion {
  readonly plans: Plans;
  readonly maxBodyBytes: number;
  readonly cursors: Cursors;
}

export function domainRoutes(parts: DomainRoutesParts): Router {
  const { database, plans, maxBodyBytes, cursors } = parts;
  const handle = (handler: CallerHandler) => authenticated(parts, handler);
  const router = Router({ caseSensitive: true, strict: true });

  router
    .route('/api/domains')
    .post(
      handle(async (caller, request, response) => {
        const members = await readMembers(request, response, ['hostname'], maxBodyBytes);
        const limit = plans[caller.plan].domains;
        const domain = await createDomain(parts, caller.accountId, limit, members.get('hostname'));
        answer(response, 201, described(domain));
      }),
    )
    .get(
      handle(async (caller, request, response) => {
        const { accountId } = caller;
        const { rows, pagination } = await readPage(request, cursors, {
          accountId,
          list: 'domains',
          read: (limit, after) =>
            listDomainSummaries(database, accountId, limit, after === undefined ? undefined : Number(after)),
          positionOf: ({ position }) => String(position),
        });
        answer(response, 200, rows.map(summarised), { pagination });
      }),
    )
    .all(methodNotAllowed('GET', 'HEAD', 'POST'));

  router
    .route('/api/domains/:id')
    .get(
      handle(async (caller, request, response) => {
        const domain = await getOwnDomainSummary(database, caller.accountId, String(request.params.id));
        answer(response, 200, summarised(domain));
      }),
    )
    .delete(
      handle(async (caller, request, response) => {
        const domain = await getOwnDomain(database, caller.accountId, String(request.params.id));
        await deleteDomain(parts, domain);
        const message = 'The domain and all its sitemaps have been deleted.';
        answer(response, 200, { id: domain.id, hostname: domain.hostname, deleted: true, message });
      }),
    )
    .all(methodNotAllowed('GET', 'HEAD', 'DELETE'));

  router
    .route('/api/domains/:id/verify')
    .post(
      handle(async (caller, request, response) => {
        const own = await getOwnDomain(database, caller.accountId, String(request.params.id));
        const { domain, message } = await verifyDomain(parts, own);
        const { id, hostname, status, sslStatus, verifiedAt } = domain;
        const verified = verifiedAt === null ? {} : { verifiedAt: isoSeconds(verifiedAt) };
        answer(response, 200, { id, hostname, status, sslStatus, ...verified, message });
      }),
    )
    .all(methodNotAllowed('POST'));

  return router;
}

function described({ id, hostname, status, sslStatus, cnameTarget, createdAt }: Domain) {
  return { id, hostname, status, sslStatus, cnameTarget, createdAt: isoSeconds(createdAt) };
}

function summarised(domain: DomainSummary) {
  const { createdAt, ...rest } = described(domain);
  const { urlCount, sitemapCount, lastUpdated } = domain;
  return { ...rest, urlCount, sitemapCount, lastUpdated: lastUpdated && isoSeconds(lastUpdated), createdAt };
}
