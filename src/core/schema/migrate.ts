/**
 * Brings a database to the schema of this version: our migrations, then those of the job queue. Other processes use the database
 * meanwhile and never wait for long: each migration is a transaction of its own. If it does not get a lock at once, it rolls back
 * and tries again (docs/decisions/0043).
 */
import { setTimeout as delay } from 'node:timers/promises';
import { PG_MIGRATE_LOCK_ID, runner } from 'node-pg-migrate';
import { checkSessions } from '../../platform/postgres/check-sessions.ts';
import {
  type Database,
  isDeadlock,
  isLockTimeout,
  type Queryable,
  type Transaction,
} from '../../platform/postgres/database.ts';
import { ConfigError } from '../../platform/process/config-error.ts';
import { steadyNow } from '../../platform/steady-clock.ts';
import { migrateJobs } from '../jobs/migrate-jobs.ts';
import { MIGRATIONS } from './check-schema.ts';
import { loadMigrations } from './load-migrations.ts';

/** The pause between two tries to get a lock. Transactions that waited behind the migration go first. */
const PAUSE_MS = 250;
/** A migration gives up if it does not get a lock for this long. */
const PATIENCE_MS = 10 * 60_000;
/** The limit of a wait for a lock. */
const LOCK_TIMEOUT_MS = 50;
/**
 * Once in each such time without a lock, a try is patient: it waits longer than `deadlock_timeout`, because only then does Postgres cancel
 * an autovacuum that has the lock. The vacuum of a large table takes hours.
 */
const PATIENT_EVERY_MS = 30_000;
/** The time that a patient try waits beyond `deadlock_timeout`. */
const BEYOND_MS = 500;
/** The pause between two checks whether another process still migrates. */
const LOOK_EVERY_MS = 200;

export interface MigrateOptions {
  /** The folder of migrations. The default is the folder of this version. */
  readonly migrations?: string;
  /** The time between two patient tries. Only tests set it. */
  readonly patientEveryMs?: number;
  /** Called with the name of each migration when it is applied. */
  readonly onApplied?: (name: string) => void;
  /** Called once if another process migrates. The wait for that process may take any time. */
  readonly onWait?: () => void;
}

/**
 * Migrates the database. Returns the names of the applied migrations. Many processes may migrate at once: they wait for each other. Throws
 * ConfigError for a Postgres that is too old, for a new database without UTF8, and behind a pooler that shares sessions: our lock would stay
 * with a session of the pooler.
 */
export async function migrate(
  database: Database,
  {
    migrations = MIGRATIONS,
    onApplied = () => {},
    onWait = () => {},
    patientEveryMs = PATIENT_EVERY_MS,
  }: MigrateOptions = {},
): Promise<string[]> {
  await checkSessions(database);
  const client = await database.connect();
  try {
    await requireVersion(client);
    await requireEncoding(client);
    await waitForOthers(client, onWait);
    const place = { dir: migrations, migrationsSchema: await schemaOf(client) };
    const applied: string[] = [];
    for (;;) {
      const [name] = await applyNext(client, place, patientEveryMs);
      if (name === undefined) break;
      applied.push(name);
      onApplied(name);
    }
    await migrateJobs(database);
    return applied;
  } finally {
    // The lock ends with the connection.
    client.release(true);
  }
}

/**
 * Takes the lock of node-pg-migrate, as older versions do. Do not wait inside a statement: CREATE INDEX CONCURRENTLY of the other process
 * waits for all running statements, so both processes then wait for each other for ever.
 */
async function waitForOthers(client: Transaction, onWait: () => void): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    const { rows } = await client.query(`SELECT pg_try_advisory_lock(${PG_MIGRATE_LOCK_ID}) AS "isOurs"`);
    if (rows[0].isOurs) return;
    if (isFirst) onWait();
    await delay(LOOK_EVERY_MS);
  }
}

/**
 * Returns the schema of our tables: the one that has the table of migrations, or the first of the `search_path`. By default,
 * node-pg-migrate keeps its table in `public`, which we may be unable to find or to change.
 */
async function schemaOf(client: Transaction): Promise<string> {
  const { rows } = await client.query<{ schema: string }>(
    `SELECT coalesce((SELECT nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                       WHERE c.oid = to_regclass('migrations')), current_schema(), 'public') AS schema`,
  );
  return rows[0]!.schema;
}

/** Applies the next migration and returns its name. Returns an empty list if all are applied. */
async function applyNext(
  client: Transaction,
  place: { readonly dir: string; readonly migrationsSchema: string },
  patientEveryMs: number,
): Promise<string[]> {
  const endsAt = steadyNow() + PATIENCE_MS;
  let patientAt = steadyNow() + patientEveryMs;
  for (;;) {
    const isPatient = steadyNow() > patientAt;
    if (isPatient) patientAt = steadyNow() + patientEveryMs;
    const lockTimeoutMs = isPatient ? (await deadlockTimeoutMs(client)) + BEYOND_MS : LOCK_TIMEOUT_MS;
    try {
      const applied = await runner({
        dbClient: client,
        ...place,
        migrationsTable: 'migrations',
        direction: 'up',
        count: 1,
        singleTransaction: true,
        noLock: true,
        migrationLoaderStrategies: [{ extensions: ['.sql'], loader: loadMigrations(lockTimeoutMs) }],
        log: () => {},
      });
      return applied.map(({ name }) => name);
    } catch (error) {
      if (!isOfLocks(error) || steadyNow() > endsAt) throw error;
      await delay(PAUSE_MS * (0.5 + Math.random()));
    }
  }
}

async function deadlockTimeoutMs(client: Transaction): Promise<number> {
  const { rows } = await client.query(
    `SELECT 1000 * extract(epoch FROM current_setting('deadlock_timeout')::interval)::float8 AS ms`,
  );
  return rows[0].ms;
}

/** Whether a lock was not free, or there was a deadlock (SQLSTATE 40P01). In both cases the migration is rolled back. */
function isOfLocks(error: unknown): boolean {
  return isLockTimeout(error) || isDeadlock(error);
}

/**
 * Refuses a new database that cannot keep every text. Some statements fail in it, but only when such a text comes. A database that already
 * has our tables stays in use. Throws ConfigError.
 */
async function requireEncoding(queryable: Queryable): Promise<void> {
  const { rows } = await queryable.query<{ encoding: string; isNew: boolean }>(
    `SELECT current_setting('server_encoding') AS encoding, to_regclass('migrations') IS NULL AS "isNew"`,
  );
  const { encoding, isNew } = rows[0]!;
  if (!isNew || encoding === 'UTF8') return;
  throw new ConfigError(
    `The database has the encoding ${encoding}, and Waypost needs UTF8. Make another one: CREATE DATABASE waypost ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0.`,
  );
}

/** The oldest major version on which a test prepares all statements. */
export const OLDEST_POSTGRES = 15;

/** Refuses a Postgres on which some statements fail, but only when they are needed. Throws ConfigError. */
export async function requireVersion(queryable: Queryable): Promise<void> {
  const { rows } = await queryable.query<{ version: string; number: number }>(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::integer AS number`,
  );
  const { version, number } = rows[0]!;
  if (number >= OLDEST_POSTGRES * 10_000) return;
  throw new ConfigError(`This is Postgres ${version}. Waypost needs Postgres ${OLDEST_POSTGRES} or newer.`);
}
