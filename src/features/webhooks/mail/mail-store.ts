/** The SQL of mails that people chose. Each person has at most one address in an account. */
import type { Queryable, Transaction } from '../../../platform/postgres/database.ts';
import { firstRow } from '../../../platform/postgres/rows.ts';
import { Refusal } from '../../../platform/refusal.ts';
import { emitToOne } from '../emit-event.ts';
import type { Topic } from './topics.ts';

export interface MailChoice {
  readonly id: string;
  readonly address: string;
  readonly topics: readonly Topic[];
  readonly provenAt: Date | null;
  /** The reason why no mails are sent any more, as a text for people. */
  readonly disabledWhy: string | null;
}

const COLUMNS = `id, url AS address, event_types AS topics, proven_at AS "provenAt", disabled_why AS "disabledWhy"`;

/**
 * The most mails that prove addresses, for all people of an account in a day. The limit exists because such a mail may go to a person who
 * did not ask for it.
 */
const PROOFS_PER_DAY = 10;

export function findMail(queryable: Queryable, accountId: string, userId: string) {
  return firstRow<MailChoice>(
    queryable,
    `SELECT ${COLUMNS} FROM webhook_endpoints WHERE account_id = $1 AND user_id = $2`,
    [accountId, userId],
  );
}

export interface WantedMail extends Pick<MailChoice, 'id' | 'address' | 'topics'> {
  readonly accountId: string;
  readonly userId: string;
}

/**
 * Saves the address and the topics of a person. An address that is new, or whose mails were disabled, gets only the mail with the proof
 * until it is proved. Mails that wait for such an address are dropped. `asksAgain`: the person wants the proof once more. Throws Refusal
 * CONFLICT when the account has asked for too many proofs.
 */
export async function saveMail(
  transaction: Transaction,
  { id, accountId, userId, address, topics }: WantedMail,
  asksAgain: boolean,
): Promise<MailChoice> {
  const former = await findMail(transaction, accountId, userId);
  const { rows } = await transaction.query<MailChoice>(
    `INSERT INTO webhook_endpoints AS e (id, account_id, user_id, url, description, event_types, format, digest_at)
     VALUES ($1, $2, $3, $4, '', $5, 'email', CASE WHEN 'digest' = ANY($5) THEN now() + interval '7 days' END)
     ON CONFLICT (account_id, user_id) WHERE user_id IS NOT NULL DO UPDATE
        SET url = $4, event_types = $5, digest_at = CASE WHEN 'digest' = ANY($5) THEN coalesce(e.digest_at, excluded.digest_at) END,
            proven_at = CASE WHEN e.url = $4 AND e.disabled_at IS NULL THEN e.proven_at END,
            disabled_at = NULL, disabled_why = NULL, failing_since = NULL,
            -- A late refusal of the former address says nothing about this one.
            fence = CASE WHEN e.url = $4 THEN e.fence ELSE e.fence + 1 END,
            leased_until = CASE WHEN e.url = $4 THEN e.leased_until END
     RETURNING ${COLUMNS}`,
    [id, accountId, userId, address, topics],
  );
  const saved = rows[0]!;
  // If none of these is so, a proof waits or was sent, and stays as it is.
  const isNew = former?.address !== address || former.provenAt !== null || former.disabledWhy !== null;
  if (saved.provenAt === null && (isNew || asksAgain)) {
    await transaction.query('DELETE FROM webhook_deliveries WHERE endpoint_id = $1 AND due_at IS NOT NULL', [
      saved.id,
    ]);
    await askForProof(transaction, accountId, saved.id);
  }
  return saved;
}

async function askForProof(transaction: Transaction, accountId: string, endpointId: string): Promise<void> {
  const { rows } = await transaction.query<{ count: number }>(
    `SELECT count(*) AS count FROM webhook_events
      WHERE account_id = $1 AND type = 'mail.proof' AND created_at > now() - interval '1 day'`,
    [accountId],
  );
  if (rows[0]!.count >= PROOFS_PER_DAY) {
    const message = `Waypost sent ${PROOFS_PER_DAY} mails today to confirm addresses of this account. Try again tomorrow.`;
    throw new Refusal('CONFLICT', message);
  }
  await emitToOne(transaction, endpointId, 'mail.proof', {});
}

/** Records that the address is proved. Returns false if the endpoint is gone, or has another address now. */
export async function proveMail(queryable: Queryable, id: string, address: string): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `UPDATE webhook_endpoints SET proven_at = coalesce(proven_at, now()) WHERE id = $1 AND url = $2 AND format = 'email'`,
    [id, address],
  );
  return rowCount === 1;
}

/** Deletes the endpoint of a person's mails, with its deliveries. */
export async function stopMail(queryable: Queryable, id: string): Promise<void> {
  await queryable.query(`DELETE FROM webhook_endpoints WHERE id = $1 AND format = 'email'`, [id]);
}
