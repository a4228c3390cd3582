/**
 * Checks that a database has the schema that this version needs. A newer schema is fine, because both versions run
 * during an upgrade.
 */
import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkSessions } from '../../platform/postgres/check-sessions.ts';
import type { Database, Queryable } from '../../platform/postgres/database.ts';
import { ConfigError } from '../../platform/process/config-error.ts';

export const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url));

/**
 * Resolves when the database answers, takes changes, has the schema, and gives each connection a session. The schema and the sessions are
 * not checked again after a success. Throws ConfigError when the operator must act first, and any other error when the database is
 * unreachable.
 */
export function createDatabaseCheck(database: Database): () => Promise<void> {
  let hasSchema = false;
  return async () => {
    await checkWritable(database);
    if (hasSchema) return;
    await checkSchema(database);
    await checkSessions(database);
    hasSchema = true;
  };
}

/** Throws ConfigError for a database that takes no changes. All requests of customers fail there, because each request changes counts. */
async function checkWritable(queryable: Queryable): Promise<void> {
  const { rows } = await queryable.query<{ isReadOnly: boolean }>(
    `SELECT current_setting('transaction_read_only')::boolean AS "isReadOnly"`,
  );
  if (!rows[0]!.isReadOnly) return;
  throw new ConfigError(
    'The database takes no changes: default_transaction_read_only is on. Managed servers set it when their disk is full.',
  );
}

/** Throws ConfigError when a migration of this version is missing. */
export async function checkSchema(queryable: Queryable): Promise<void> {
  const files = await readdir(MIGRATIONS);
  const migrations = files.filter((file) => file.endsWith('.sql'));
  const needed = migrations.map((file) => basename(file, '.sql')).sort();
  const applied = await listApplied(queryable);
  if (needed.every((name) => applied.includes(name))) return;
  const state = applied.length === 0 ? 'has no schema' : `is at schema ${applied.at(-1)}`;
  throw new ConfigError(
    `The database ${state}, and this version needs ${needed.at(-1)}. Run npm run migrate.`,
  );
}

/** Lists the names of the applied migrations, in order. */
async function listApplied(queryable: Queryable): Promise<string[]> {
  const { rows: tables } = await queryable.query("SELECT WHERE to_regclass('migrations') IS NOT NULL");
  if (tables.length === 0) return [];
  const { rows } = await queryable.query<{ name: string }>('SELECT name FROM migrations ORDER BY id');
  return rows.map(({ name }) => name);
}
