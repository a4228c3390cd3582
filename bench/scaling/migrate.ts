/**
 * Runs `migrate` beside a writer, in a database of an older version with as many generations as an operator of some years has. Measures how
 * long the writer waits for a lock, and for which statement. A database with the newest schema is filled, and copied into the older one.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { migrate } from '../../src/core/schema/migrate.ts';
import { createLog } from '../../src/platform/log.ts';
import { createDatabasePool, type Database } from '../../src/platform/postgres/database.ts';
import { Secret } from '../../src/platform/secret.ts';
import { fillOlder } from '../../tools/filled/fill-older.ts';
import { migrateTo } from '../../tools/filled/migrate-to.ts';
import type { Figure } from '../figures.ts';
import { startFilledPostgres } from './filled-postgres.ts';

/** 300,000 generations. */
const DOMAINS = 30_000;
const GOAL_MS = 100;
const LOOK_EVERY_MS = 2;
/** Older schemas: the last one before migrations run beside the service (docs/decisions/0043), and some after it. */
const FROM_SCHEMAS: readonly string[] = ['0016_small_uploads', '0040_deltas', '0066_schedules'];
/** The tables that an upload writes. */
const WRITTEN = [
  ...['accounts', 'api_keys', 'domains', 'uploads', 'sitemaps', 'sitemap_files', 'small_files', 'garbage'],
  ...['attempts', 'webhook_events', 'webhook_deliveries', 'page_hosts', 'comparisons', 'certificates'],
];

interface Wait {
  readonly ms: number;
  readonly table: string;
  readonly cause: string;
}

export async function* benchMigrate(scale: number): AsyncGenerator<Figure, void, undefined> {
  await using scope = new AsyncDisposableStack();
  const settings = { shared_buffers: '1GB', max_wal_size: '8GB' };
  const domains = Math.max(200, Math.round(DOMAINS * scale));
  const newest = await startFilledPostgres(scope, 'migrate', { durable: false, settings }, { domains });
  const newestUrl = newest.url.reveal();
  for (const [n, from] of FROM_SCHEMAS.entries()) {
    const server = new pg.Client({ connectionString: newestUrl });
    await server.connect();
    await server.query(`CREATE DATABASE older${n} TEMPLATE template0`);
    await server.end();
    const url = new URL(newestUrl);
    url.pathname = `/older${n}`;
    const database = createDatabasePool(new Secret(url.href), 4, createLog('bench', 'warn'), 0);
    try {
      await migrateTo(database, from);
      await fillOlder(newestUrl, url.href);
      yield* measure(database, from);
    } finally {
      await database.end();
    }
  }
}

async function* measure(database: Database, from: string): AsyncGenerator<Figure> {
  const tables = await writtenTables(database);
  const ended = new AbortController();
  let applying = from;
  const writing = write(database, tables, ended.signal);
  const watching = watch(database, ended.signal, () => applying);
  await delay(500);
  const applied = await migrate(database, {
    onApplied: (name) => {
      applying = `after ${name}`;
    },
  });
  ended.abort();
  const rounds = await writing;
  const waits = await watching;
  const row = `from ${from}, ${applied.length} migrations`;
  yield { row, name: 'rounds of the writer', value: rounds, unit: '' };
  const worst = waits.toSorted((left, right) => right.ms - left.ms)[0];
  const goal = { atMost: GOAL_MS };
  yield { row, name: 'longest wait for a lock', value: worst?.ms ?? 0, unit: 'ms', goal };
  for (const { ms, table, cause } of waits.filter(({ ms }) => ms > GOAL_MS / 4).slice(0, 10)) {
    yield { name: `  ${from}: ${table} waited for ${cause}`, value: ms, unit: 'ms' };
  }
}

async function writtenTables(database: Database): Promise<readonly string[]> {
  const { rows } = await database.query<{ name: string }>(
    'SELECT relname AS name FROM pg_class WHERE relname = ANY($1) AND reltuples > 0',
    [WRITTEN],
  );
  return rows.map(({ name }) => name);
}

/** Changes a row of each table, one statement after the other, until the end. Returns the number of rounds. */
async function write(database: Database, tables: readonly string[], ended: AbortSignal): Promise<number> {
  const client = await database.connect();
  await client.query("SET application_name = 'writer'");
  let rounds = 0;
  for (; !ended.aborted; rounds++) {
    for (const table of tables) {
      const key = await client.query<{ name: string }>(
        `SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum = 1`,
        [table],
      );
      const { name } = key.rows[0]!;
      await client.query(
        `UPDATE ${table} SET ${name} = ${name} WHERE ctid = (SELECT ctid FROM ${table} LIMIT 1)`,
      );
    }
  }
  client.release(true);
  return rounds;
}

/** Watches for which locks the writer waits. Returns the longest wait that it saw for each. */
async function watch(
  database: Database,
  ended: AbortSignal,
  applying: () => string,
): Promise<readonly Wait[]> {
  const waits = new Map<string, Wait>();
  while (!ended.aborted) {
    const { rows } = await database.query<Omit<Wait, 'cause'> & { began: string; query: string }>(
      `SELECT l.waitstart::text AS began, coalesce(l.relation::regclass::text, l.locktype) AS table,
              (1000 * extract(epoch FROM clock_timestamp() - l.waitstart))::float8 AS ms,
              coalesce((SELECT string_agg(left(regexp_replace(b.query, '\\s+', ' ', 'g'), 80), ' + ')
                          FROM pg_stat_activity b WHERE b.pid = ANY(pg_blocking_pids(l.pid))), '') AS query
         FROM pg_locks l JOIN pg_stat_activity a USING (pid)
        WHERE a.application_name = 'writer' AND NOT l.granted AND l.waitstart IS NOT NULL`,
    );
    for (const { began, query, ...wait } of rows) {
      waits.set(began, { ...wait, cause: `${query} (${applying()})` });
    }
    await delay(LOOK_EVERY_MS);
  }
  return [...waits.values()];
}
