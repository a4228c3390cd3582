/** The SQL of the examinations that operators ask for. */
import type { Queryable } from '../../platform/postgres/database.ts';
import { allRows, firstRow } from '../../platform/postgres/rows.ts';
import type { Finding } from './finding.ts';

export interface ExaminationResult {
  readonly sites: number;
  readonly objects: number;
  readonly counts: Readonly<Partial<Record<Finding['problem'], number>>>;
  /** The first findings of each problem. */
  readonly findings: readonly Finding[];
}

export interface Examination {
  readonly id: string;
  readonly position: number;
  /** Null: all domains. */
  readonly hostname: string | null;
  /** The name of the operator, as in the audit log. */
  readonly askedBy: string;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly result: ExaminationResult | null;
  /** The reason why there is no result, as a text for people. */
  readonly failure: string | null;
}

const KEPT = 100;
const COLUMNS = `id, position, hostname, asked_by AS "askedBy", created_at AS "createdAt", started_at AS "startedAt",
  ended_at AS "endedAt", result, failure`;

/** Inserts the examination, and deletes all but the newest examinations. */
export async function insertExamination(
  queryable: Queryable,
  { id, hostname, askedBy }: Pick<Examination, 'id' | 'hostname' | 'askedBy'>,
): Promise<Examination> {
  const { rows } = await queryable.query<Examination>(
    `INSERT INTO examinations (id, hostname, asked_by) VALUES ($1, $2, $3) RETURNING ${COLUMNS}`,
    [id, hostname, askedBy],
  );
  await queryable.query(
    'DELETE FROM examinations WHERE position <= (SELECT position FROM examinations ORDER BY position DESC OFFSET $1 LIMIT 1)',
    [KEPT],
  );
  return rows[0]!;
}

export function findExamination(queryable: Queryable, id: string) {
  return firstRow<Examination>(queryable, `SELECT ${COLUMNS} FROM examinations WHERE id = $1`, [id]);
}

/** Lists the first `limit` examinations with a position below `before`, the newest first. */
export function listExaminations(queryable: Queryable, limit: number, before?: number) {
  return allRows<Examination>(
    queryable,
    `SELECT ${COLUMNS} FROM examinations WHERE ($2::bigint IS NULL OR position < $2) ORDER BY position DESC LIMIT $1`,
    [limit, before ?? null],
  );
}

export async function startExamination(queryable: Queryable, id: string): Promise<void> {
  await queryable.query(
    'UPDATE examinations SET started_at = now(), ended_at = NULL, failure = NULL WHERE id = $1',
    [id],
  );
}

export async function endExamination(
  queryable: Queryable,
  id: string,
  outcome: { readonly result: ExaminationResult } | { readonly failure: string },
): Promise<void> {
  const [result, failure] = 'result' in outcome ? [outcome.result, null] : [null, outcome.failure];
  await queryable.query('UPDATE examinations SET ended_at = now(), result = $2, failure = $3 WHERE id = $1', [
    ...[id, result && JSON.stringify(result), failure],
  ]);
}
