/**
 * Whether each connection of ours is one session in Postgres. Named statements, settings, LISTEN and locks of sessions need that. A
 * pooler in front of Postgres that shares sessions between transactions makes some of them fail, and others work on the wrong one.
 */
import { ConfigError } from '../process/config-error.ts';
import type { Database, Queryable } from './database.ts';

/** For a pool of at least two connections; a smaller one has nobody to share with. Throws ConfigError. */
export async function checkSessions(database: Database): Promise<void> {
  if (database.options.max < 2) return;
  const one = await database.connect();
  try {
    const before = await sessionOf(one);
    const other = await database.connect();
    try {
      // Such a pooler gives it the session that has just become free, and another one to whoever comes next.
      await other.query('BEGIN');
      await sessionOf(other);
      if ((await sessionOf(one)) === before) return;
    } finally {
      await other.query('ROLLBACK').catch(() => {});
      other.release();
    }
  } finally {
    one.release();
  }
  throw new ConfigError(
    'The database is behind a pooler that shares sessions between transactions (PgBouncer: pool_mode = transaction). ' +
      'Waypost needs pool_mode = session, or Postgres itself.',
  );
}

async function sessionOf(queryable: Queryable): Promise<number> {
  const { rows } = await queryable.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]!.pid;
}
