/** Domains over HTTP (spec 4.1 to 4.4, spec D29). */
import { type Response, Router } from 'express';
import type { Caller } from '../accounts/key-store.ts';
import type { Plans } from '../accounts/plans.ts';
import { findCertificateSummary } from '../certificates/certificate-store.ts';
import { findLastCheck } from '../domains/check-store.ts';
import { type CreateDomainOptions, createDomain } from '../domains/create-domain.ts';
import { type DeleteDomainOptions, deleteDomain } from '../domains/delete-domain.ts';
import { listDomainSummaries, setGuard } from '../domains/domain-store.ts';
import { getOwnDomain, getOwnDomainSummary } from '../domains/own-domain.ts';
import { type VerifyDomainOptions, verifyDomain } from '../domains/verify-domain.ts';
import { isoSeconds } from '../platform/iso-seconds.ts';
import type { Database } from '../platform/postgres/database.ts';
import { type SwitchOptions, switchSubmission } from '../submission/switch-submission.ts';
import type { Cursors } from '../web/cursors.ts';
import { answer } from '../web/envelope.ts';
import { readMembers } from '../web/json-body.ts';
import { methodNotAllowed } from '../web/not-found.ts';
import { PAGE_PARAMETERS, readPage } from '../web/pages.ts';
import type { Authenticated } from './authenticate.ts';
import { describeDomain, describeWholeDomain, summarizeDomain } from './describe-domain.ts';
import { DOMAIN_CHANGES, parseGuard, parseIndexNow } from './domain-changes.ts';

export interface DomainRoutesOptions extends CreateDomainOptions, VerifyDomainOptions, DeleteDomainOptions {
  readonly submission: SwitchOptions;
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
      authenticated(async (caller, request, response, record) => {
        const members = await readMembers(request, response, ['hostname'], maxBodyBytes);
        const limit = plans[caller.plan].domains;
        const domain = await createDomain(
          options,
          caller.accountId,
          limit,
          members.get('hostname'),
          (transaction, created) => record(transaction, 201, describeDomain(created)),
        );
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
        await answerDomain(response, database, caller, String(request.params.id));
      }),
    )
    .patch(
      authenticated(async (caller, request, response) => {
        const domain = await getOwnDomain(database, caller.accountId, String(request.params.id));
        const members = await readMembers(request, response, DOMAIN_CHANGES, maxBodyBytes);
        const isEnabled = parseIndexNow(members.get('indexNow'));
        const maxRemovedPercent = parseGuard(members.get('guard'));
        if (isEnabled !== undefined) await switchSubmission(options.submission, domain, isEnabled);
        if (maxRemovedPercent !== undefined) await setGuard(database, domain.id, maxRemovedPercent);
        await answerDomain(response, database, caller, domain.id);
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
    .all(methodNotAllowed('GET', 'HEAD', 'PATCH', 'DELETE'));

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

/** Throws Refusal. */
async function answerDomain(
  response: Response,
  database: Database,
  { accountId }: Caller,
  id: string,
): Promise<void> {
  const domain = await getOwnDomainSummary(database, accountId, id);
  const [check, certificate] = await Promise.all([
    findLastCheck(database, id),
    findCertificateSummary(database, id),
  ]);
  answer(response, 200, describeWholeDomain(domain, check, certificate));
}
