/** Connects before the first statement, so that a command says in a sentence why it has no database. */
import pg from 'pg';
import { ConfigError } from '../process/config-error.ts';
import type { Database } from './database.ts';

/** Throws ConfigError if no connection opens, whatever the reason. `cure`: what the operator may change, as a sentence. */
export async function reachDatabase(
  database: Database,
  cure = 'Check DATABASE_URL, and that Postgres runs.',
): Promise<void> {
  try {
    (await database.connect()).release();
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    throw new ConfigError(`No connection to ${nameOf(database)}: ${reasonOf(cause)}. ${cure}`, { cause });
  }
}

/** Names the database as pg understands its URL and the variables of libpq, without the password. */
function nameOf({ options }: Database): string {
  const { host, port, database, user } = new pg.Client(options);
  const place = host.startsWith('/') ? host : `${host}:${port}`;
  return `the database ${database} of the Postgres at ${place} as the user ${user}`;
}

/** If several addresses of a host fail, Node throws an AggregateError without a message. */
function reasonOf(error: unknown): string {
  const [first = error] = error instanceof AggregateError ? error.errors : [];
  return first instanceof Error ? first.message : String(first);
}
