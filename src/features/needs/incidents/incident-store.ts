/**
 * The SQL of incidents. An incident is a need of which people are told, when it begins and when it ends.
 *
 *   (a need) ─a look finds it→ open, told unless the look is the first ─the need is gone→ (deleted, told if its fault is mended)
 *
 * A look compares the present needs of accounts with the open incidents.
 */
import { type Queryable, slowStatement, type Transaction } from '../../../platform/postgres/database.ts';
import { allRows } from '../../../platform/postgres/rows.ts';
import { CAUSES, foundCausesOf } from '../causes.ts';
import type { NeedKind } from '../need.ts';

/** The time between two looks at an account. */
const LOOK_EVERY = '60 seconds';
/** The time from a look that failed to the next one. */
const AFTER_FAILURE = '10 minutes';

const ofKinds = (column: string, sql: (told: NonNullable<(typeof CAUSES)[number]['told']>) => string) =>
  `CASE ${CAUSES.filter(({ told }) => told !== undefined)
    .map(
      ({ kinds, told }) =>
        `WHEN ${column} IN (${kinds.map((kind) => `'${kind}'`).join()}) THEN ${sql(told!)}`,
    )
    .join('\n              ')} END`;

export interface Difference {
  readonly accountId: string;
  /** Whether this is the first look at the account. If so, people are not told of its needs. */
  readonly isFirst: boolean;
  readonly change: 'opened' | 'closed';
  readonly kind: NeedKind;
  readonly domainId: string;
  /** The subject of the need, as its cause names it. Null if the incident is closed. */
  readonly needSubject: string | null;
  /** The subject of the incident. */
  readonly subject: string;
  /** The words for the message about a closed incident. Null: the incident is opened, or people were not told of it. */
  readonly told: ToldWords | null;
  /** Whether the fault of a closed incident is mended. False for an opened incident, and if the cause has no condition `over`. */
  readonly isOver: boolean;
}

export interface ToldWords {
  readonly domain: string;
  readonly sitemapName: string | null;
  readonly title: string;
}

export interface DueAccount {
  readonly accountId: string;
  /** Whether this is the first look at the account. */
  readonly isFirst: boolean;
  readonly isSuspended: boolean;
}

/** Locks the accounts that are due, at most `limit`, and sets the times of their next looks. */
export function takeDueAccounts(transaction: Transaction, limit: number) {
  return allRows<DueAccount>(
    transaction,
    `WITH due AS (
       SELECT t.account_id, t.looked_at IS NULL AS is_first, a.suspended_at IS NOT NULL AS is_suspended
         FROM told_accounts t JOIN accounts a ON a.id = t.account_id WHERE t.due_at <= now()
        ORDER BY t.due_at LIMIT $1 FOR UPDATE OF t SKIP LOCKED
     )
     UPDATE told_accounts t
        SET due_at = now() + interval '${LOOK_EVERY}', looked_at = CASE WHEN due.is_suspended THEN t.looked_at ELSE now() END
       FROM due WHERE t.account_id = due.account_id
     RETURNING t.account_id AS "accountId", due.is_first AS "isFirst", due.is_suspended AS "isSuspended"`,
    [limit],
  );
}

/** Puts off the next look at an account whose last look failed. */
export async function putOffLook(queryable: Queryable, accountId: string): Promise<void> {
  await queryable.query(
    `UPDATE told_accounts SET due_at = now() + interval '${AFTER_FAILURE}' WHERE account_id = $1`,
    [accountId],
  );
}

/**
 * Compares the present needs of accounts with their open incidents. An incident stays open as long as its need is there, even if the
 * `since` of the need moves: another host of the domain gets the same fault, or the renewal of a certificate that ends soon fails for the
 * first time. Leaves out suspended accounts, because their messages would come all at once when the suspension ends. The first look after
 * the suspension finds the needs of that time.
 */
export async function findDifferences(
  transaction: Transaction,
  accounts: readonly DueAccount[],
): Promise<Difference[]> {
  const due = accounts.filter(({ isSuspended }) => !isSuspended);
  if (due.length === 0) return [];
  return allRows<Difference>(
    transaction,
    slowStatement(
      `WITH due AS (SELECT * FROM unnest($1::text[], $2::boolean[]) AS due (account_id, is_first)
       ), found AS MATERIALIZED (
         SELECT due.account_id, due.is_first, n.kind, n.domain_id, n.subject AS need_subject,
                ${ofKinds('n.kind', ({ subject }) => subject ?? 'n.subject')} AS subject,
                ${ofKinds('n.kind', ({ when }) => when)} AS is_to_be_told
           FROM due CROSS JOIN LATERAL (${foundCausesOf('due.account_id')}) AS n
       )
       SELECT f.account_id AS "accountId", f.is_first AS "isFirst", 'opened' AS change, f.kind, f.domain_id AS "domainId",
              f.need_subject AS "needSubject", f.subject, NULL::json AS told, false AS "isOver"
         FROM found f LEFT JOIN incidents i USING (account_id, kind, domain_id, subject) WHERE i.kind IS NULL AND f.is_to_be_told
        UNION ALL
       SELECT i.account_id, due.is_first, 'closed', i.kind, i.domain_id, NULL, i.subject, i.told,
              coalesce(${ofKinds('i.kind', ({ over }) => over ?? 'false')}, false)
         FROM due JOIN incidents i ON i.account_id = due.account_id
        WHERE NOT EXISTS (SELECT FROM found f WHERE f.account_id = i.account_id AND f.kind = i.kind
                             AND f.domain_id = i.domain_id AND f.subject = i.subject)`,
      [due.map(({ accountId }) => accountId), due.map(({ isFirst }) => isFirst)],
    ),
  );
}

type IncidentKey = Pick<Difference, 'accountId' | 'kind' | 'domainId' | 'subject'>;

export async function openIncidents(
  transaction: Transaction,
  incidents: readonly (IncidentKey & Pick<Difference, 'told'>)[],
): Promise<void> {
  await transaction.query(
    `INSERT INTO incidents (account_id, kind, domain_id, subject, told)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::json[]) ON CONFLICT DO NOTHING`,
    [...columnsOf(incidents), incidents.map(({ told }) => told && JSON.stringify(told))],
  );
}

export async function closeIncidents(queryable: Queryable, incidents: readonly IncidentKey[]): Promise<void> {
  await queryable.query(
    `DELETE FROM incidents WHERE (account_id, kind, domain_id, subject) IN (
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]))`,
    columnsOf(incidents),
  );
}

function columnsOf(incidents: readonly IncidentKey[]): string[][] {
  const members = ['accountId', 'kind', 'domainId', 'subject'] as const;
  return members.map((member) => incidents.map((incident) => incident[member]));
}
