/** Postgres: the pool and transactions. The SQL is in the `*-store.ts` of each concept. */
import pg from 'pg';
import type { Log } from '../log.ts';
import { sayRarely } from '../say-rarely.ts';
import type { Secret } from '../secret.ts';
import { PatientPool } from './patient-pool.ts';
import { watchStatements } from './watch-statements.ts';

/** What a store needs to run a statement: the pool, or a transaction. */
export type Queryable = Pick<pg.ClientBase, 'query'>;
export type Database = pg.Pool;
export type Transaction = pg.PoolClient;

/**
 * How long an ordinary statement may take before its request is answered as an outage. A database that hangs must not
 * hang its clients.
 */
const QUERY_TIMEOUT_MS = 2000;

/**
 * Postgres ends a statement just before its caller gives up: else it would run on, and commit, for nobody. Where the caller gives up
 * sooner, or its process dies, Postgres notices the closed connection at its next look.
 */
const ENDS_EARLIER_MS = 50;
const LOOKS_FOR_CLIENT_EVERY_MS = 500;

/** For `slowStatement` and `copyRows`, and for connections whose statements have no limit. */
export const SLOW_QUERY_TIMEOUT_MS = 30_000;

/**
 * Postgres ends a transaction that is idle for this long, because it cannot tell an unreachable client from a slow one.
 * Without this limit, the transaction would hold its locks until TCP gives up, for hours. Where statements may take longer,
 * silence may too.
 */
const MAX_IDLE_MS = 5000;
const SIGN_OF_LIFE_MS = 1000;

const INT8 = pg.types.builtins.INT8;

/** Connects on first use. The caller ends the pool. `queryTimeoutMs`: 0 for none, as migrations need. */
export function createDatabasePool(
  url: Secret,
  connections: number,
  log: Log,
  queryTimeoutMs = QUERY_TIMEOUT_MS,
): Database {
  const database = new PatientPool({
    connectionString: url.reveal(),
    max: connections,
    connectionTimeoutMillis:
      queryTimeoutMs === 0 ? SLOW_QUERY_TIMEOUT_MS : Math.max(queryTimeoutMs, QUERY_TIMEOUT_MS),
    query_timeout: queryTimeoutMs,
    application_name: 'waypost',
    // No startup parameters: PgBouncer refuses those that it does not know.
    onConnect: async (client) => {
      await client.query(
        `SET statement_timeout = ${serverTimeoutMs(queryTimeoutMs)}; SET client_connection_check_interval = ${LOOKS_FOR_CLIENT_EVERY_MS}`,
      );
    },
    // Counts and sizes stay far below 2^53.
    types: {
      getTypeParser: (oid, format) =>
        oid === INT8 && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format as 'text'),
    },
  });
  runSlowOnesInTransactions(database);
  // While the database hangs, every statement loses its connection, and strangers can cause statements.
  const complainOfLoss = sayRarely<Error>((err, { unsaid }) =>
    log.warn({ err, unsaid }, 'database connection lost'),
  );
  // Without listeners, a broken connection would end the process. The pool replaces the connection.
  database.on('error', () => {});
  database.on('connect', (client) => {
    endWhenSilent(client as Transaction);
    client.on('error', (error) => {
      if (!database.ending) complainOfLoss(error);
    });
  });
  return database;
}

/** A slow statement has its own deadline in Postgres, too. A bare SET would stay with the connection. */
function runSlowOnesInTransactions(database: Database): void {
  const query = database.query.bind(database) as (...args: unknown[]) => unknown;
  const bounded = (...args: unknown[]): unknown => {
    const [statement] = args;
    if (!isSlow(statement)) return query(...args);
    return inTransaction(database, (transaction) => transaction.query(statement));
  };
  database.query = bounded as typeof database.query;
}

/** How long an ordinary statement of this pool may take. */
export function statementTimeoutMs(database: Database): number {
  return database.options.query_timeout ?? QUERY_TIMEOUT_MS;
}

/** For a caller that waits for `timeoutMs`. 0: for ever. */
function serverTimeoutMs(timeoutMs: number): number {
  return timeoutMs === 0 ? 0 : Math.max(timeoutMs - ENDS_EARLIER_MS, 1);
}

/**
 * Runs `work` in a transaction. Any error rolls it back. Work other than SQL belongs in `whileIdle`. `settings`: of Postgres, for
 * this transaction. Any of its statements may be a slow one.
 */
export async function inTransaction<Result>(
  database: Database,
  work: (transaction: Transaction) => Promise<Result>,
  settings: Readonly<Record<string, string | number>> = {},
): Promise<Result> {
  const client = await database.connect();
  const timeoutMs = statementTimeoutMs(database);
  const all = Object.entries({
    idle_in_transaction_session_timeout: Math.max(MAX_IDLE_MS, timeoutMs),
    statement_timeout: timeoutMs === 0 ? 0 : serverTimeoutMs(Math.max(timeoutMs, SLOW_QUERY_TIMEOUT_MS)),
    ...settings,
  });
  try {
    await client.query(['BEGIN', ...all.map(([name, value]) => `SET LOCAL ${name} = ${value}`)].join('; '));
    const result = await work(client);
    await client.query('COMMIT');
    client.release();
    return result;
  } catch (error) {
    const isRolledBack = await rollBack(client);
    // If ROLLBACK fails, the connection is broken, and Postgres rolls back when it notices.
    client.release(!isRolledBack);
    throw error;
  }
}

/**
 * Settings of a transaction whose statements have names and find a few rows each. Their plans are made once, for any number that
 * is asked. Plans of young tables would read them whole long after they have grown, so indexes are preferred.
 */
export const KEPT_PLANS = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off', jit: 'off' };

/** Runs work other than SQL inside a transaction. Meanwhile, tells Postgres that the client is still there. */
export async function whileIdle<Result>(
  transaction: Transaction,
  work: () => Promise<Result>,
): Promise<Result> {
  let sign: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    // If it fails, the next statement of the transaction fails too, and that failure counts.
    sign ??= transaction.query('SELECT').then(
      () => {
        sign = undefined;
      },
      () => {},
    );
  }, SIGN_OF_LIFE_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await sign;
  }
}

function rollBack(client: pg.PoolClient): Promise<boolean> {
  return client.query('ROLLBACK').then(
    () => true,
    () => false,
  );
}

/**
 * Ends a connection when a statement gets no answer in time. Any later statement on it would wait for that answer, even
 * after the pool has passed the connection on, because not every caller reports its errors to the pool.
 */
function endWhenSilent(client: Transaction): void {
  watchStatements(client, () => (error) => {
    if (error instanceof Error && error.message === 'Query read timeout') void client.end();
  });
}

/**
 * A statement that may wait for another publisher of the same domain, or touch tens of thousands of rows. `name`: each connection
 * keeps its plan.
 */
export function slowStatement(text: string, values: readonly unknown[], name?: string): pg.QueryConfig {
  // pg reads the deadline of a single statement from `query_timeout`, which its types lack.
  const statement = {
    text,
    values: [...values],
    query_timeout: SLOW_QUERY_TIMEOUT_MS,
    ...(name && { name }),
  };
  return statement;
}

function isSlow(statement: unknown): statement is pg.QueryConfig {
  return (statement as { query_timeout?: number } | null)?.query_timeout === SLOW_QUERY_TIMEOUT_MS;
}

/** A lock was not free within `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03';
}

/** The constraint that a statement violated. Undefined for any other error. */
export function violatedConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code?.startsWith('23') ? error.constraint : undefined;
}

/** SQLSTATE: a value that is not one, a violated constraint, a deadlock. Not 40003: nobody knows whether it was done. */
const FAULT_OF_MEMBER = /^(?:22|23|40(?!003))/;

/** Whether one member of a group may have made its statement fail: the others succeed without it. False for outages. */
export function isFaultOfMember(error: unknown): boolean {
  return error instanceof pg.DatabaseError && FAULT_OF_MEMBER.test(error.code ?? '');
}
