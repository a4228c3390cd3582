/** The route of the account's audit log: actor, action, address and time. */
import type { Request, Router } from 'express';
import type { Cursors } from '../../core/web/cursors.ts';
import { answer } from '../../core/web/envelope.ts';
import { PAGE_PARAMETERS, readPage } from '../../core/web/pages.ts';
import { routesOf } from '../../core/web/routes-of.ts';
import { AUDIT_ACTIONS, type AuditAction, type AuditRow } from '../../features/accounts/audit-store.ts';
import type { Accounts } from '../../features/accounts/open-accounts.ts';
import { isoSeconds } from '../../platform/iso-seconds.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { SignedIn } from './signed-in.ts';
import type { AuditEvent } from './wire.ts';

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
