/** The SQL of the audit log: who did what in an account, from where, when. */
import type { Queryable } from '../platform/postgres/database.ts';
import type { Actor } from './actor.ts';

export type AuditAction =
  | 'domain.added'
  | 'domain.deleted'
  | 'domain.changed'
  | 'sitemap.deleted'
  | 'sitemap.rolled_back'
  | 'upload.forced'
  | 'webhook.added'
  | 'webhook.changed'
  | 'webhook.deleted'
  | 'key.created'
  | 'key.revoked'
  | 'member.invited'
  | 'member.joined'
  | 'member.role_changed'
  | 'member.removed'
  | 'invitation.revoked'
  | 'identity.linked'
  | 'identity.unlinked'
  | 'session.started';

export interface AuditEntry {
  readonly action: AuditAction;
  /** What it was done to: a hostname, the name of a key or of a person. */
  readonly subject: string;
  /** Small. No secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Part of the change's own transaction where there is one. An actor without key and session is the operator. */
export async function insertAuditEvent(
  queryable: Queryable,
  { accountId, keyId, session, address }: Actor,
  { action, subject, details = {} }: AuditEntry,
): Promise<void> {
  await queryable.query(
    `INSERT INTO audit_events (account_id, action, subject, details, user_id, key_id, address, actor_name)
     VALUES ($1, $2, $3, $4, $5, $6, $7,
             coalesce((SELECT name FROM users WHERE id = $5), (SELECT name FROM api_keys WHERE id = $6), 'operator'))`,
    [accountId, action, subject, JSON.stringify(details), session?.userId ?? null, keyId, address],
  );
}
