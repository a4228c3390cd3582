/** Runs the unfinished backfills in portions. After a crash, the next run continues where the last portion ended. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../platform/log.ts';
import { type Database, inTransaction, slowStatement } from '../../platform/postgres/database.ts';
import { BACKFILLS, type Backfill } from './backfills.ts';

/** Portions are small and have pauses, because the service writes to the same tables meanwhile. */
const PORTION = 500;
const PAUSE_MS = 5;
/** The wait before another pass, if rows were locked in the last pass. Other transactions lock rows only briefly. */
const NEXT_PASS_MS = 1000;

export interface RunBackfillsOptions {
  readonly database: Database;
  readonly log: Log;
}

export async function runBackfills({ database, log }: RunBackfillsOptions): Promise<void> {
  const { rows } = await database.query<{ name: string }>(
    'SELECT name FROM backfills WHERE done_at IS NULL ORDER BY added_at, name',
  );
  for (const { name } of rows) {
    const backfill = BACKFILLS.find((known) => known.name === name);
    // A newer version has added this backfill. Its processes run it.
    if (backfill === undefined) continue;
    log.info({ backfill: name }, 'a backfill begins, or goes on');
    while (!(await runPass(database, backfill))) await delay(NEXT_PASS_MS);
    log.info({ backfill: name }, 'a backfill is done');
  }
}

/**
 * Runs portions from the current place to the end of the table. Returns false if a row was locked. Then the next pass
 * begins at the first row.
 */
async function runPass(database: Database, backfill: Backfill): Promise<boolean> {
  while ((await runPortion(database, backfill)) === PORTION) await delay(PAUSE_MS);
  const { rows } = await database.query<{ isDone: boolean }>(
    `UPDATE backfills SET done_at = CASE missed WHEN 0 THEN now() END, after = '', missed = 0
      WHERE name = $1 RETURNING done_at IS NOT NULL AS "isDone"`,
    [backfill.name],
  );
  return rows[0]!.isDone;
}

/** Returns the number of rows of the portion. */
function runPortion(database: Database, { name, statement }: Backfill): Promise<number> {
  return inTransaction(database, async (transaction) => {
    const { rows: places } = await transaction.query<{ after: string }>(
      'SELECT after FROM backfills WHERE name = $1 FOR UPDATE',
      [name],
    );
    const { rows } = await transaction.query<{ after: string | null; rows: number; missed: number }>(
      slowStatement(statement, [places[0]!.after, PORTION]),
    );
    const portion = rows[0]!;
    await transaction.query(
      `UPDATE backfills SET after = coalesce($2, after), rows = rows + $3, missed = missed + $4 WHERE name = $1`,
      [name, portion.after, portion.rows, portion.missed],
    );
    return portion.rows;
  });
}
