/** Domains over HTTP (spec 4.1 to 4.4, spec D29). */
import { type Response, Router } from 'express';
import { insertAuditEvent } from '../accounts/audit-store.ts';
import { checkCaller, holdCaller } from '../accounts/hold-caller.ts';
import type { Caller } from '../accounts/key-store.ts';
import type { Plans } from '../accounts/plans.ts';
import { findCertificateSummary } from '../certificates/certificate-store.ts';
import { changeGuard } from '../domains/change-guard.ts';
import { findLastCheck } from '../domains/check-store.ts';
import { type CreateDomainOptions, createDomain } from '../domains/create-domain.ts';
import { type DeleteDomainOptions, deleteDomain } from '../domains/delete-domain.ts';
import type { Domain } from '../domains/domain.ts';
import { createListDomains } from '../domains/list-domains.ts';
import { getOwnDomain, getOwnDomainSummary } from '../domains/own-domain.ts';
import { type VerifyDomainOptions, verifyDomain } from '../domains/verify-domain.ts';
import { isoSeconds } from '../platform/iso-seconds.ts';
import type { Database, Transaction } from '../platform/postgres/database.ts';
import { type SwitchOptions, switchSubmission } from '../submission/switch-submission.ts';
import type { Cursors } from '../web/cursors.ts';
import { answer } from '../web/envelope.ts';
import { readMembers } from '../web/json-body.ts';
import { methodNotAllowed } from '../web/not-found.ts';
import { PAGE_PARAMETERS, readPage } from '../web/pages.ts';
import type { Authenticated } from './authenticate.ts';
import { describeCreated, describeWholeDomain, summarizeDomain } from './describe-domain.ts';
import { DOMAIN_CHANGES, parseGuard, parseIndexNow } from './domain-changes.ts';

export interface DomainRoutesOptions extends CreateDomainOptions, VerifyDomainOptions, DeleteDomainOptions {
  readonly submission: SwitchOptions;
  readonly plans: Plans;
  readonly maxBodyBytes: number;
  readonly cursors: Cursors;
}

export function domainRoutes(options: DomainRoutesOptions, authenticated: Authenticated): Router {
  const { database, plans, maxBodyBytes, cursors } = options;
  const listDomains = createListDomains(database);
  const router = Router({ caseSensitive: true, strict: true });

  router
    .route('/api/domains')
    .post(
      authenticated(async (caller, request, response, record) => {
        const members = await readMembers(request, response, ['hostname'], maxBodyBytes);
        const limit = plans[caller.plan].domains;
        const created = await createDomain(
          options,
          caller.accountId,
          limit,
          members.get('hostname'),
          async (transaction, inserted) => {
            // The key may have been revoked while the body came.
            await holdCaller(transaction, caller);
            await audit(transaction, caller, 'domain.added', inserted.domain);
            await record(transaction, 201, describeCreated(inserted));
          },
        );
        answer(response, 201, describeCreated(created));
      }),
    )
    .get(
      authenticated(async (caller, request, response) => {
        const { accountId } = caller;
        const { rows, pagination } = await readPage(request, cursors, {
          accountId,
          list: 'domains',
          read: (limit, after) =>
            listDomains(accountId, limit, after === undefined ? undefined : Number(after)),
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
        await checkCaller(database, caller);
        const onChanged = (changed: object) => (transaction: Transaction) =>
          audit(transaction, caller, 'domain.changed', domain, changed);
        if (isEnabled !== undefined) {
          const indexNow = { enabled: isEnabled };
          await switchSubmission(options.submission, domain, isEnabled, onChanged({ indexNow }));
        }
        if (maxRemovedPercent !== undefined) {
          const guard = { maxRemovedPercent };
          await changeGuard(database, domain, maxRemovedPercent, onChanged({ guard }));
        }
        await answerDomain(response, database, caller, domain.id);
      }),
    )
    .delete(
      authenticated(async (caller, request, response) => {
        const domain = await getOwnDomain(database, caller.accountId, String(request.params.id));
        await deleteDomain(options, domain, (transaction) =>
          audit(transaction, caller, 'domain.deleted', domain),
        );
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

function audit(
  transaction: Transaction,
  caller: Caller,
  action: 'domain.added' | 'domain.changed' | 'domain.deleted',
  { id: domainId, hostname: subject }: Domain,
  more: object = {},
): Promise<void> {
  return insertAuditEvent(transaction, caller, { action, subject, details: { domainId, ...more } });
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
