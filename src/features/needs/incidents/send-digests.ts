/** The job that sends the weekly digest to the people who chose it. */
import {
  type Database,
  inTransaction,
  slowStatement,
  type Transaction,
} from '../../../platform/postgres/database.ts';
import type { PlanName, Plans } from '../../accounts/plans.ts';
import { emitToOne } from '../../webhooks/emit-event.ts';
import { listNeeds } from '../list-needs.ts';
import { readOverview } from '../overview-store.ts';

const TITLES = 10;

/**
 * Sends the digests that are due, each in a transaction of its own. A late digest does not delay the next ones. A missed week gets no
 * digest.
 */
export async function sendDigests(database: Database, plans: Plans): Promise<void> {
  while (await inTransaction(database, (transaction) => sendOne(transaction, plans)));
}

async function sendOne(transaction: Transaction, plans: Plans): Promise<boolean> {
  const { rows } = await transaction.query<{
    id: string;
    accountId: string;
    plan: PlanName;
    isProven: boolean;
  }>(
    `WITH due AS (
       SELECT e.id FROM webhook_endpoints e WHERE e.digest_at <= now() ORDER BY e.digest_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
     )
     UPDATE webhook_endpoints e
        SET digest_at = e.digest_at + ceil(extract(epoch FROM now() - e.digest_at) / 604800 + 0.000001) * interval '7 days'
       FROM due, accounts a WHERE e.id = due.id AND a.id = e.account_id
     RETURNING e.id, e.account_id AS "accountId", a.plan, e.proven_at IS NOT NULL AS "isProven"`,
  );
  const due = rows[0];
  if (due === undefined) return false;
  // Send nothing to an unproven address. It may belong to anybody.
  if (!due.isProven) return true;
  const { urlCount, domainCount } = await readOverview(transaction, due.accountId);
  const { needs, counts } = await listNeeds(transaction, due.accountId, plans[due.plan]);
  await emitToOne(transaction, due.id, 'digest.weekly', {
    ...{ urlCount, domainCount, ...(await countUploads(transaction, due.accountId)) },
    needsCount: Object.values(counts).reduce((sum, count) => sum + count, 0),
    needs: needs.slice(0, TITLES).map(({ title }) => title),
  });
  return true;
}

async function countUploads(transaction: Transaction, accountId: string) {
  const { rows } = await transaction.query<{ published: number; refused: number }>(
    slowStatement(
      `SELECT coalesce(sum(a.published), 0)::bigint AS published, coalesce(sum(a.refused), 0)::bigint AS refused
         FROM domains d CROSS JOIN LATERAL (
                SELECT count(*) FILTER (WHERE outcome = 'published') AS published, count(*) FILTER (WHERE outcome = 'refused') AS refused
                  FROM attempts WHERE domain_id = d.id AND ended_at > now() - interval '7 days') AS a
        WHERE d.account_id = $1`,
      [accountId],
    ),
  );
  return rows[0]!;
}
