/** Tells a job that judges times whether it can trust the clock of the database. */
import type { Queryable } from '../../platform/postgres/database.ts';

/**
 * Records a look of the job `name`, which looks every 30 seconds. Returns false for two minutes after its first look, after a step of the
 * database's clock, and after a time without looks: during that time the service may have refused requests, too.
 */
export async function recordLook(queryable: Queryable, name: string): Promise<boolean> {
  const { rows } = await queryable.query<{ isSettled: boolean }>({
    name: 'record-look',
    text: `INSERT INTO looks AS l (name, at, settled_at) VALUES ($1, now(), now() + interval '${SETTLE}')
           ON CONFLICT (name) DO UPDATE
              SET at = now(),
                  settled_at = CASE WHEN now() - l.at BETWEEN interval '0' AND interval '${LONGEST_PAUSE}' THEN l.settled_at
                                    ELSE now() + interval '${SETTLE}' END
           RETURNING settled_at <= now() AS "isSettled"`,
    values: [name],
  });
  return rows[0]!.isSettled;
}

const SETTLE = '2 minutes';
const LONGEST_PAUSE = '90 seconds';
