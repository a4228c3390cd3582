/** The job that sends the weekly digest to the people who chose it. */
import type { Log } from '../../../platform/log.ts';
import {
  type Database,
  inTransaction,
  slowStatement,
  type Transaction,
} from '../../../platform/postgres/database.ts';
import { firstRow, onlyRow } from '../../../platform/postgres/rows.ts';
import type { PlanName, Plans } from '../../accounts/plans.ts';
import { emitToOne } from '../../webhooks/emit-event.ts';
import { listNeeds } from '../list-needs.ts';
import { readOverview } from '../overview-store.ts';

const TITLES = 10;

/**
 * Sends the digests that are due, each in a transaction of its own. A late digest does not delay the next ones. A missed week gets no
 * digest. A digest that fails is due again in an hour, so that it does not keep others from being sent.
 */
export async function sendDigests(database: Database, plans: Plans, log: Log): Promise<void> {
  for (let due = await takeOne(database); due !== undefined; due = await takeOne(database)) {
    const { accountId } = due;
    await send(database, plans, due).catch((err) =>
      log.error({ err, accountId }, 'a digest could not be sent'),
    );
  }
}

interface DueDigest {
  /** The id of the endpoint. */
  readonly id: string;
  readonly accountId: string;
  readonly plan: PlanName;
  /** False if the address is not proved, or the account is suspended. */
  readonly isWanted: boolean;
  /** The time of the next digest, unless this one fails. */
  readonly nextAt: Date;
}

function takeOne(database: Database) {
  return firstRow<DueDigest>(
    database,
    `WITH due AS (
       SELECT e.id, e.digest_at FROM webhook_endpoints e WHERE e.digest_at <= now()
        ORDER BY e.digest_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
     )
     UPDATE webhook_endpoints e SET digest_at = now() + interval '1 hour'
       FROM due, accounts a WHERE e.id = due.id AND a.id = e.account_id
     RETURNING e.id, e.account_id AS "accountId", a.plan, e.proven_at IS NOT NULL AND a.suspended_at IS NULL AS "isWanted",
               due.digest_at + ceil(extract(epoch FROM now() - due.digest_at) / 604800 + 0.000001) * interval '7 days' AS "nextAt"`,
  );
}

function send(database: Database, plans: Plans, due: DueDigest): Promise<void> {
  const { id, accountId, plan, isWanted, nextAt } = due;
  return inTransaction(database, async (transaction) => {
    const { rowCount } = await transaction.query(
      'UPDATE webhook_endpoints SET digest_at = $2 WHERE id = $1 AND digest_at IS NOT NULL',
      [id, nextAt],
    );
    // The person may have ended the digests meanwhile. Send nothing to an unproven address: it may belong to anybody.
    if (rowCount === 0 || !isWanted) return;
    const { urlCount, domainCount } = await readOverview(transaction, accountId);
    const { needs, counts } = await listNeeds(transaction, accountId, plans[plan]);
    await emitToOne(transaction, id, 'digest.weekly', {
      ...{ urlCount, domainCount, ...(await countUploads(transaction, accountId)) },
      needsCount: Object.values(counts).reduce((sum, count) => sum + count, 0),
      needs: needs.slice(0, TITLES).map(({ title }) => title),
    });
  });
}

function countUploads(transaction: Transaction, accountId: string) {
  return onlyRow<{ published: number; refused: number }>(
    transaction,
    slowStatement(
      `SELECT coalesce(sum(a.published), 0)::bigint AS published, coalesce(sum(a.refused), 0)::bigint AS refused
         FROM domains d CROSS JOIN LATERAL (
                SELECT count(*) FILTER (WHERE outcome = 'published') AS published, count(*) FILTER (WHERE outcome = 'refused') AS refused
                  FROM attempts WHERE domain_id = d.id AND ended_at > now() - interval '7 days') AS a
        WHERE d.account_id = $1`,
      [accountId],
    ),
  );
}
