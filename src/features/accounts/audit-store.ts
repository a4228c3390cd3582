/** The SQL of the audit log: the actor, the action, the network address and the time of each change of an account. */
import type { Queryable } from '../../platform/postgres/database.ts';
import { deleteInPortions } from '../../platform/postgres/delete-in-portions.ts';
import { allRows } from '../../platform/postgres/rows.ts';
import { type Actor, nameOfOperator } from './actor.ts';

export const AUDIT_ACTIONS = [
  'account.changed',
  'account.created',
  'account.plan_changed',
  'account.renamed',
  'account.resumed',
  'account.suspended',
  'connection.deleted',
  'connection.set',
  'domain.added',
  'domain.changed',
  'domain.deleted',
  'domain.verified_by_force',
  'identity.linked',
  'identity.unlinked',
  'invitation.revoked',
  'key.created',
  'key.revoked',
  'member.invited',
  'member.joined',
  'member.removed',
  'member.role_changed',
  'schedule.deleted',
  'schedule.hook_deleted',
  'schedule.hook_made',
  'schedule.set',
  'session.started',
  'sign_in_link.made',
  'sitemap.changed',
  'sitemap.deleted',
  'sitemap.rolled_back',
  'upload.discarded',
  'upload.forced',
  'webhook.added',
  'webhook.changed',
  'webhook.deleted',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export interface AuditEntry {
  readonly action: AuditAction;
  /** The target of the action, for example a hostname, or the name of a key or of a person. May be empty. */
  readonly subject: string;
  /** A few small values, never secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface AuditRow {
  /** The position in the order of writing. */
  readonly id: number;
  readonly at: Date;
  readonly action: AuditAction;
  readonly subject: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly userId: string | null;
  readonly keyId: string | null;
  readonly actorName: string;
  readonly address: string | null;
}

const KEEP_DAYS = 400;
/**
 * The most events of an account, some 300 MB. The largest plan allows 1,000 requests a minute. So a thief with a key of this plan needs 17
 * hours to push the traces of the theft out of the log.
 */
const MAX_EVENTS = 1_000_000;
const DELETED_AT_ONCE = 10_000;

/**
 * Writes an event. `queryable`: the transaction of the change, if the change has one. An actor without key and session is recorded as the
 * operator. Writes nothing when the account is gone.
 */
export function insertAuditEvent(queryable: Queryable, actor: Actor, entry: AuditEntry): Promise<void> {
  return insertAuditEvents(queryable, [{ actor, entry }]);
}

/** An event that is not written yet. */
export interface AuditedChange {
  readonly actor: Actor;
  readonly entry: AuditEntry;
}

/** Receives an event: writes it, or collects it for the end of the transaction. */
export type RecordAudit = (actor: Actor, entry: AuditEntry) => unknown;

/** Writes events, in their order. */
export async function insertAuditEvents(
  queryable: Queryable,
  changes: readonly AuditedChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const column = (read: (change: AuditedChange) => string | null) => changes.map(read);
  await queryable.query({
    name: 'insert-audit-events',
    text: `INSERT INTO audit_events (account_id, action, subject, details, user_id, key_id, address, actor_name)
           SELECT a.id, action, subject, details::jsonb, user_id, key_id, address,
                  coalesce((SELECT u.name FROM users u WHERE u.id = user_id), (SELECT k.name FROM api_keys k WHERE k.id = key_id),
                           user_id, key_id, operator)
             FROM unnest((SELECT $1::text[]), (SELECT $2::text[]), (SELECT $3::text[]), (SELECT $4::text[]),
                         (SELECT $5::text[]), (SELECT $6::text[]), (SELECT $7::text[]), (SELECT $8::text[])) WITH ORDINALITY
                  AS given (account_id, action, subject, details, user_id, key_id, address, operator, n)
                  CROSS JOIN LATERAL (SELECT id FROM accounts WHERE id = given.account_id LIMIT 1 FOR KEY SHARE) a
            ORDER BY n`,
    values: [
      column(({ actor }) => actor.accountId),
      column(({ entry }) => entry.action),
      column(({ entry }) => entry.subject),
      column(({ entry }) => JSON.stringify(entry.details ?? {})),
      column(({ actor }) => actor.session?.userId ?? null),
      column(({ actor }) => actor.keyId),
      column(({ actor }) => actor.address),
      column(({ actor }) => nameOfOperator(actor)),
    ],
  });
}

/** Lists the newest `limit` events with ids below `before`, the newest first. If `action` is given, lists only events of this action. */
export function listAuditEvents(
  queryable: Queryable,
  { accountId, action }: { readonly accountId: string; readonly action: AuditAction | undefined },
  limit: number,
  before: number | undefined,
): Promise<AuditRow[]> {
  // With an action, the condition is a plain comparison, so that Postgres can use the index of actions.
  const ofAction = action === undefined ? '$3::text IS NULL' : 'action = $3';
  return allRows<AuditRow>(
    queryable,
    `SELECT id, at, action, subject, details, user_id AS "userId", key_id AS "keyId", actor_name AS "actorName", address
       FROM audit_events
      WHERE account_id = $1 AND ($4::bigint IS NULL OR id < $4) AND ${ofAction} ORDER BY id DESC LIMIT $2`,
    [accountId, limit, action ?? null, before ?? null],
  );
}

/**
 * Deletes events that are older than KEEP_DAYS, and all but the newest `maxEvents` events of each account. A job calls this function every
 * hour.
 */
export async function deleteOldAuditEvents(queryable: Queryable, maxEvents = MAX_EVENTS): Promise<void> {
  await deleteInPortions(
    queryable,
    `DELETE FROM audit_events WHERE id IN
       (SELECT id FROM audit_events WHERE at < now() - $1 * interval '1 day' ORDER BY at LIMIT $2)`,
    [KEEP_DAYS],
    DELETED_AT_ONCE,
  );
  await deleteInPortions(
    queryable,
    // An account without events in the last 3 hours cannot exceed its limit, because the job has run since then.
    `DELETE FROM audit_events WHERE id IN
       (SELECT oldest.id
          FROM (SELECT DISTINCT account_id FROM audit_events WHERE at > now() - interval '3 hours') AS recent,
               LATERAL (SELECT id FROM audit_events AS e WHERE e.account_id = recent.account_id
                         ORDER BY id DESC OFFSET $1) AS oldest
         LIMIT $2)`,
    [maxEvents],
    DELETED_AT_ONCE,
  );
}
