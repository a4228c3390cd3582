/** Refuses a new database that cannot keep every text. Some statements fail in it, but only when such a text comes. */
import type { Queryable } from '../../platform/postgres/database.ts';
import { ConfigError } from '../../platform/process/config-error.ts';

/** A database that already has our tables stays in use. Throws ConfigError. */
export async function requireEncoding(queryable: Queryable): Promise<void> {
  const { rows } = await queryable.query<{ encoding: string; isNew: boolean }>(
    `SELECT current_setting('server_encoding') AS encoding, to_regclass('migrations') IS NULL AS "isNew"`,
  );
  const { encoding, isNew } = rows[0]!;
  if (!isNew || encoding === 'UTF8') return;
  throw new ConfigError(
    `The database has the encoding ${encoding}, and Waypost needs UTF8. Make another one: CREATE DATABASE waypost ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0.`,
  );
}
