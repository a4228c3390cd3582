/** Refuses a Postgres that is too old. Some statements fail on an old Postgres, but only when they are needed. */
import type { Queryable } from '../../platform/postgres/database.ts';
import { ConfigError } from '../../platform/process/config-error.ts';

/** The oldest major version on which a test prepares all statements. */
export const OLDEST_POSTGRES = 15;

/** Throws ConfigError. */
export async function requireVersion(queryable: Queryable): Promise<void> {
  const { rows } = await queryable.query<{ version: string; number: number }>(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::integer AS number`,
  );
  const { version, number } = rows[0]!;
  if (number >= OLDEST_POSTGRES * 10_000) return;
  throw new ConfigError(`This is Postgres ${version}. Waypost needs Postgres ${OLDEST_POSTGRES} or newer.`);
}
