/** Routes of the account: owners name it, and it shows its plan with its usage (spec 8), and its audit log. */
import type { Request, Router } from 'express';
import type { Cursors } from '../../core/web/cursors.ts';
import { answer } from '../../core/web/envelope.ts';
import { readMembers } from '../../core/web/json-body.ts';
import { PAGE_PARAMETERS, readPage } from '../../core/web/pages.ts';
import { routesOf } from '../../core/web/routes-of.ts';
import { AUDIT_ACTIONS, type AuditAction, type AuditRow } from '../../features/accounts/audit-store.ts';
import type { Accounts } from '../../features/accounts/open-accounts.ts';
import type { Admissions } from '../../features/accounts/open-admission.ts';
import type { Plans } from '../../features/accounts/plans.ts';
import { parseShortText } from '../../features/accounts/short-text.ts';
import type { Uploads } from '../../features/uploads/open-uploads.ts';
import { isoSeconds } from '../../platform/iso-seconds.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Person, SignedIn } from './signed-in.ts';
import type { AuditEvent, Meter, NamedAccount, PlanUsage } from './wire.ts';

export interface AccountRoutesOptions {
  readonly accounts: Pick<Accounts, 'rename'>;
  readonly maxBodyBytes: number;
}

export function accountRoutes({ accounts, maxBodyBytes }: AccountRoutesOptions, signedIn: SignedIn): Router {
  return routesOf({
    '/dashboard/api/account': {
      patch: signedIn(
        async (person, request, response) => {
          const given = await readMembers(request, response, ['name'], maxBodyBytes);
          const name = parseShortText('name', given.get('name'));
          await accounts.rename(person, name);
          answer(response, 200, { id: person.accountId, name } satisfies NamedAccount);
        },
        { onlyOwners: true },
      ),
    },
  });
}

export interface PlanRoutesOptions {
  readonly admission: Pick<Admissions, 'findRequests'>;
  readonly uploads: Pick<Uploads, 'sumUsage' | 'findPeaks'>;
  readonly plans: Plans;
  /** The most uploads of an account at once. */
  readonly uploadsPerAccount: number;
}

export function planRoutes(options: PlanRoutesOptions, signedIn: SignedIn): Router {
  return routesOf({
    '/dashboard/api/plan': {
      get: signedIn(async (person, _request, response) => {
        const usage: PlanUsage = { name: person.plan, meters: await readMeters(options, person) };
        answer(response, 200, usage);
      }),
    },
  });
}

async function readMeters(
  { admission, uploads, plans, uploadsPerAccount }: PlanRoutesOptions,
  { accountId, plan }: Person,
): Promise<Meter[]> {
  const [usage, peaks, requests] = await Promise.all([
    uploads.sumUsage(accountId),
    uploads.findPeaks(accountId),
    admission.findRequests(accountId),
  ]);
  const limits = plans[plan];
  const { largestUpload, fullestDomain } = peaks;
  const meter = (name: Meter['name'], used: number, limit: number, of: string | null = null): Meter => ({
    ...{ name, used, limit, of },
  });
  return [
    meter('domains', usage.domains, limits.domains),
    meter('urlsPerUpload', largestUpload?.count ?? 0, limits.urlsPerUpload, largestUpload?.hostname),
    meter('requestsPerMinute', requests, limits.requestsPerMinute),
    meter('storedBytes', usage.storedBytes, limits.storedBytes),
    meter('sitemapsPerDomain', fullestDomain?.count ?? 0, limits.sitemapsPerDomain, fullestDomain?.hostname),
    meter('uploadsAtOnce', usage.uploadsUnderWay, uploadsPerAccount),
  ];
}

export interface AuditRoutesOptions {
  readonly accounts: Pick<Accounts, 'listAuditEvents'>;
  readonly cursors: Cursors;
}

export function auditRoutes({ accounts, cursors }: AuditRoutesOptions, signedIn: SignedIn): Router {
  return routesOf({
    '/dashboard/api/audit': {
      get: signedIn(
        async ({ accountId }, request, response) => {
          const action = givenAction(request);
          const { rows, pagination } = await readPage(request, cursors, {
            accountId,
            list: `audit events ${action ?? 'of all actions'}`,
            read: (limit, before) =>
              accounts.listAuditEvents(
                { accountId, action },
                limit,
                before === undefined ? undefined : Number(before),
              ),
            positionOf: ({ id }) => String(id),
          });
          answer(response, 200, rows.map(describeEvent), { pagination });
        },
        { query: [...PAGE_PARAMETERS, 'action'] },
      ),
    },
  });
}

function givenAction({ query }: Request): AuditAction | undefined {
  if (query.action === undefined) return undefined;
  const action = AUDIT_ACTIONS.find((one) => one === query.action);
  if (action === undefined) {
    throw new Refusal('BAD_REQUEST', `action must be one of ${AUDIT_ACTIONS.join(', ')}.`);
  }
  return action;
}

function describeEvent(event: AuditRow): AuditEvent {
  const { id, at, action, subject, details, actorName: name, address } = event;
  return {
    ...{ id: String(id), at: isoSeconds(at), action, subject, details },
    ...{ actor: { kind: kindOf(event), name }, address },
  };
}

function kindOf({ userId, keyId }: AuditRow): AuditEvent['actor']['kind'] {
  if (userId !== null) return 'user';
  return keyId === null ? 'operator' : 'key';
}
