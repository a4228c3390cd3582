/** The SQL that takes due DNS checks and records their results. All times come from the clock of the database. */
import { ageMs } from '../../platform/postgres/age-ms.ts';
import {
  type Database,
  inTransaction,
  type Queryable,
  slowStatement,
} from '../../platform/postgres/database.ts';
import { allRows, onlyRow } from '../../platform/postgres/rows.ts';
import { tokensNow } from '../../platform/postgres/token-bucket.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { Domain } from './domain.ts';
import { COLUMNS } from './domain-store.ts';
import type { Judgement } from './judgement.ts';
import { IS_SERVED } from './served-domain-store.ts';
import { afterCheck, type Watch } from './watch.ts';

/** The result of the last check. */
export interface LastCheck extends Pick<Diagnosis, 'found' | 'problem'> {
  /** Null before the first check or look-up of the hostname, and if an older version made the last check. */
  readonly judgement: Judgement | null;
  /** Null before the first check. */
  readonly checkedAt: Date | null;
  /** Null if no check is planned. */
  readonly nextCheckAt: Date | null;
}

export type DueCheck = Pick<Domain, 'id' | 'hostname' | 'cnameTarget' | 'website'>;

/** A check that got no result, because its process died, is due again after this time. */
const CLAIM_MINUTES = 10;

export async function findLastCheck(queryable: Queryable, domainId: string): Promise<LastCheck> {
  const { rows } = await queryable.query<LastCheck>(
    `SELECT coalesce(dns_found, '[]') AS found, dns_problem AS problem, dns_judgement AS judgement, checked_at AS "checkedAt",
            check_at AS "nextCheckAt"
       FROM domains WHERE id = $1`,
    [domainId],
  );
  return rows[0] ?? { found: [], problem: null, judgement: null, checkedAt: null, nextCheckAt: null };
}

/** The row of `paces` that limits how many checks all processes begin. */
const PACE = 'domain checks';
/** Tokens collect for up to this many seconds while no checks begin. */
const BURST_S = 60;
const TOKENS = tokensNow({
  tokens: 'tokens',
  at: 'tokens_at',
  most: `per_second * ${BURST_S}`,
  perSecond: 'per_second',
});

/**
 * Selects domains with a due check. The condition must match a partial index. The outer limit is a subquery, which the planner cannot
 * estimate. Without the inner limit, the planner sorts all due rows.
 */
const dueOf = (kind: string, limit: string) => `
  SELECT id FROM (
    SELECT id FROM domains WHERE check_at <= now() AND ${IS_SERVED} AND ${kind}
     ORDER BY check_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED) AS first LIMIT ${limit}`;

/**
 * Takes up to `limit` domains whose check is due, the doubted domains first. Takes fewer if the pace allows fewer. Concurrent processes
 * take different domains.
 */
export function takeDueChecks(queryable: Queryable, limit: number) {
  return allRows<DueCheck>(queryable, {
    name: 'take-due-checks',
    // Each part is materialized, because a plan that runs a part twice takes more domains than the limit.
    text: `WITH allowed AS MATERIALIZED (
       SELECT least($1::integer, floor(greatest(0, ${TOKENS}))::integer) AS most FROM paces WHERE name = '${PACE}'
     ), doubted AS MATERIALIZED (${dueOf('wrong_checks > 0', '(SELECT most FROM allowed)')}
     ), steady AS MATERIALIZED (${dueOf('wrong_checks = 0', '(SELECT most - (SELECT count(*) FROM doubted) FROM allowed)')}
     ), due AS MATERIALIZED (
       SELECT id FROM doubted UNION ALL SELECT id FROM steady
     ), spent AS (
       UPDATE paces SET tokens = ${TOKENS} - due.count, tokens_at = now()
         FROM (SELECT count(*) AS count FROM due) AS due WHERE name = '${PACE}' AND due.count > 0
     )
     UPDATE domains d SET check_at = now() + $2 * interval '1 minute' FROM due WHERE d.id = due.id
     RETURNING d.id, d.hostname, d.cname_target AS "cnameTarget", d.website`,
    values: [limit, CLAIM_MINUTES],
  });
}

/** Each domain needs one check a day. With twice the pace, a backlog of a day is gone in a day. */
const CHECKS_A_DAY = 2;
/** The lowest pace. It lets a check that an account asks for begin at once, even if there are few domains. */
const LEAST_PER_SECOND = 1;

/** Sets the pace by the number of served domains. */
export async function setCheckPace(queryable: Queryable): Promise<void> {
  await queryable.query(
    slowStatement(
      `UPDATE paces
          SET tokens = ${TOKENS}, tokens_at = now(),
              per_second = greatest(${LEAST_PER_SECOND}, (SELECT count(*) FROM domains WHERE ${IS_SERVED}) * $1 / 86400.0)
        WHERE name = '${PACE}'`,
      [CHECKS_A_DAY],
    ),
  );
}

/** The most due domains among which accounts take turns. An account may have a thousand domains. */
const PENDING_IN_TURN = 4000;

/**
 * Takes up to `limit` domains that wait for their verification and whose check is due. Accounts take turns, because the checks of a
 * thousand domains with silent name servers take minutes. Plans the next check: each minute for an hour, then every ten minutes for a day,
 * then every hour until the registration ends. A sweep comes every 10 s, so a domain that is due in 50 s is checked within a minute.
 */
export function takeDuePending(queryable: Queryable, limit: number) {
  return allRows<Domain>(
    queryable,
    `WITH waiting AS (
       SELECT id, account_id, check_at FROM domains WHERE check_at <= now() AND status = 'pending_verification'
        ORDER BY check_at LIMIT ${PENDING_IN_TURN}
     ), ranked AS (
       SELECT id, check_at, row_number() OVER (PARTITION BY account_id ORDER BY check_at) AS turn FROM waiting
     ), due AS MATERIALIZED (
       SELECT d.id FROM ranked r JOIN domains d ON d.id = r.id
        WHERE d.check_at <= now() AND d.status = 'pending_verification'
        ORDER BY r.turn, r.check_at LIMIT $1 FOR NO KEY UPDATE OF d SKIP LOCKED
     )
     UPDATE domains d
        SET check_at = now() + CASE WHEN created_at > now() - interval '1 hour' THEN interval '50 seconds'
                                    WHEN created_at > now() - interval '1 day' THEN interval '10 minutes'
                                    ELSE interval '1 hour' END
       FROM due WHERE d.id = due.id RETURNING ${COLUMNS}`,
    [limit],
  );
}

/** Stores the result of a check of a domain that is not served. */
export async function recordDiagnosis(
  queryable: Queryable,
  domainId: string,
  { found, problem, judgement }: Diagnosis,
): Promise<void> {
  await queryable.query(
    'UPDATE domains SET checked_at = now(), dns_found = $2, dns_problem = $3, dns_judgement = $4 WHERE id = $1',
    [domainId, JSON.stringify(found), problem, JSON.stringify(judgement)],
  );
}

/** Stores only the judgement of a registration. Call this function if its look-up found no records, as is usual for a new name. */
export async function recordJudgement(
  queryable: Queryable,
  domainId: string,
  { judgement }: Diagnosis,
): Promise<void> {
  await queryable.query('UPDATE domains SET dns_judgement = $2 WHERE id = $1', [
    domainId,
    JSON.stringify(judgement),
  ]);
}

/** Stores the result of a check of a served domain, and the time of its next check. Returns whether the domain is lost (`watch.ts`). */
export async function recordCheck(
  database: Database,
  domainId: string,
  diagnosis: Diagnosis,
): Promise<boolean> {
  return inTransaction(database, async (transaction) => {
    const { rows } = await transaction.query<Watch>(
      slowStatement(
        `SELECT wrong_checks AS "wrongChecks", ${ageMs('wrong_at')} AS "countedForMs", ${ageMs('moved_at')} AS "movedForMs"
           FROM domains WHERE id = $1 AND ${IS_SERVED} AND check_at IS NOT NULL FOR NO KEY UPDATE`,
        [domainId],
        'lock-checked-domain',
      ),
    );
    // The domain was deleted or failed meanwhile, or its checks were ended.
    if (rows[0] === undefined) return false;
    const next = afterCheck(rows[0], diagnosis.verdict, Math.random());
    const { found, problem, judgement } = diagnosis;
    await transaction.query({
      name: 'record-check',
      // Processes of the former version, which run during an upgrade, read wrong_since.
      text: `UPDATE domains SET check_at = now() + $2 * interval '1 millisecond', wrong_checks = $3,
                    wrong_since = CASE WHEN $3 > 0 THEN coalesce(wrong_since, now()) END,
                    wrong_at = now() - $4 * interval '1 millisecond', moved_at = now() - $5 * interval '1 millisecond',
                    checked_at = now(), dns_found = $6, dns_problem = $7, dns_judgement = $8
              WHERE id = $1`,
      values: [
        ...[domainId, next.nextInMs, next.wrongChecks, next.countedForMs, next.movedForMs],
        ...[JSON.stringify(found), problem, JSON.stringify(judgement)],
      ],
    });
    return next.isLost;
  });
}

/**
 * Ends the checks of served domains for good. A check under way changes nothing more. Without `checked_at`, the checks do not begin again
 * after a certificate that failed (`certificate-state-store.ts`). Returns the ids of the domains that were checked until now.
 */
export async function endChecks(queryable: Queryable, domainIds: readonly string[]): Promise<string[]> {
  const { rows } = await queryable.query<{ id: string }>(
    slowStatement(
      `WITH checked AS MATERIALIZED (
         SELECT id FROM domains WHERE id = ANY($1) AND ${IS_SERVED} AND check_at IS NOT NULL ORDER BY id FOR NO KEY UPDATE
       )
       UPDATE domains d
          SET check_at = NULL, checked_at = NULL, wrong_checks = 0, wrong_since = NULL, wrong_at = NULL, moved_at = NULL
         FROM checked WHERE d.id = checked.id RETURNING d.id`,
      [domainIds],
    ),
  );
  return rows.map(({ id }) => id);
}

type Holder = Pick<Domain, 'id' | 'accountId' | 'hostname'>;

/** Finds the served domains of hostnames. */
export function findHolders(queryable: Queryable, hostnames: readonly string[]) {
  return allRows<Holder>(
    queryable,
    `SELECT id, account_id AS "accountId", hostname FROM domains WHERE hostname = ANY($1) AND ${IS_SERVED}`,
    [hostnames],
  );
}

/**
 * Makes the next check of a domain due now. Skips a domain that was checked within the last minute. Skips a domain that is doubted or
 * moved, because its checks are frequent. The two exceptions prevent other accounts from making the domain fail sooner.
 */
export async function hastenCheck(queryable: Queryable, domainId: string): Promise<void> {
  await queryable.query(
    `UPDATE domains SET check_at = now()
      WHERE id IN (SELECT id FROM domains
                    WHERE id = $1 AND ${IS_SERVED} AND check_at > now() AND wrong_checks = 0
                      AND (checked_at IS NULL OR checked_at < now() - interval '1 minute')
                      FOR NO KEY UPDATE SKIP LOCKED)`,
    [domainId],
  );
}

/** Counts the domains of each status. Reads the whole table. */
export async function countDomains(queryable: Queryable): Promise<Readonly<Record<string, number>>> {
  const { rows } = await queryable.query<{ status: string; count: number }>(
    slowStatement('SELECT status, count(*) AS count FROM domains GROUP BY status', []),
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

/** The age in seconds of the oldest due check, among doubted domains and among the others. 0 means that none is due. */
export interface OverdueChecks {
  readonly doubted: number;
  readonly steady: number;
}

export function findOverdueChecks(queryable: Queryable): Promise<OverdueChecks> {
  const overdue = (kind: string) => `
    greatest(0, extract(epoch FROM now() - (
      SELECT check_at FROM domains WHERE ${IS_SERVED} AND ${kind} AND check_at IS NOT NULL
       ORDER BY check_at LIMIT 1)))::float8`;
  return onlyRow<OverdueChecks>(
    queryable,
    `SELECT coalesce(${overdue('wrong_checks > 0')}, 0) AS doubted, coalesce(${overdue('wrong_checks = 0')}, 0) AS steady`,
  );
}
