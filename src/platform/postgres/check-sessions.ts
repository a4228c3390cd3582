/**
 * Checks that each of our connections is one session in Postgres. Named statements, settings, LISTEN and session locks need this. Behind a
 * pooler that shares sessions between transactions, some of these fail, and others affect the wrong session.
 */
import { ConfigError } from '../process/config-error.ts';
import type { Database, Queryable } from './database.ts';

/**
 * Throws ConfigError if sessions are shared. A pool of one connection is not checked, because one connection cannot show whether sessions
 * are shared.
 */
export async function checkSessions(database: Database): Promise<void> {
  if (database.options.max < 2) return;
  const one = await database.connect();
  try {
    const before = await sessionOf(one);
    const other = await database.connect();
    try {
      // A pooler that shares sessions gives the free session to this transaction, and another session to the next statement of `one`.
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
