/**
 * Opens the pool of connections to Postgres, runs transactions, limits the time of statements, and reads errors of Postgres. The SQL is in
 * the `*-store.ts` of each concept.
 */
import pg from 'pg';
import { hasCode } from '../error-code.ts';
import type { Log } from '../log.ts';
import { ConfigError } from '../process/config-error.ts';
import { sayRarely } from '../say-rarely.ts';
import type { Secret } from '../secret.ts';
import { RetryingPool } from './retrying-pool.ts';
import { watchStatements } from './watch-statements.ts';

/** A pool or a transaction: both can run a statement. */
export type Queryable = Pick<pg.ClientBase, 'query'>;
export type Database = pg.Pool;
export type Transaction = pg.PoolClient;

/**
 * How long an ordinary statement may take. After that, its request is answered as an outage: a database that hangs must not hang our
 * clients.
 */
const QUERY_TIMEOUT_MS = 2000;

/**
 * Postgres ends a statement just before its caller gives up. Otherwise the statement goes on, and commits, after the caller has failed.
 * If the caller gives up sooner, or its process dies, Postgres notices this when it next checks the connection.
 */
const ENDS_EARLIER_MS = 50;
const LOOKS_FOR_CLIENT_EVERY_MS = 500;

/** The limit of `slowStatement` and `copyRows`. It is also the limit of connecting in a pool whose statements have no limit. */
export const SLOW_QUERY_TIMEOUT_MS = 30_000;

/** The limit of `queryPatiently`. */
const PATIENT_QUERY_TIMEOUT_MS = 60 * 60_000;

/**
 * Postgres ends a transaction that is idle for this long, because it cannot tell an unreachable client from a slow one.
 * Without this limit, the transaction holds its locks until TCP gives up, for hours. If the pool's statements may take
 * longer than 5 s, a transaction may also be idle for as long as a statement.
 */
const MAX_IDLE_MS = 5000;
const SIGN_OF_LIFE_MS = 1000;

const INT8 = pg.types.builtins.INT8;

/** Connects on first use. The caller ends the pool. `queryTimeoutMs`: 0 means no limit, as migrations need. */
export function createDatabasePool(
  url: Secret,
  connections: number,
  log: Log,
  queryTimeoutMs = QUERY_TIMEOUT_MS,
): Database {
  const database = new RetryingPool({
    connectionString: url.reveal(),
    max: connections,
    connectionTimeoutMillis:
      queryTimeoutMs === 0 ? SLOW_QUERY_TIMEOUT_MS : Math.max(queryTimeoutMs, QUERY_TIMEOUT_MS),
    query_timeout: queryTimeoutMs,
    application_name: 'waypost',
    // Lets `pipelined` work. Other callers wait for each answer, so nothing changes for them.
    pipeline: true,
    // Do not use startup parameters: PgBouncer refuses unknown ones.
    onConnect: async (client) => {
      // An answer for each statement.
      const answers = await client.query(sessionSettings(queryTimeoutMs));
      if ((answers as unknown as pg.QueryResult[]).at(-1)?.rows[0].isStandby) throw new ConfigError(STANDBY);
    },
    // Counts and sizes stay far below 2^53.
    types: {
      getTypeParser: (oid, format) =>
        oid === INT8 && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format as 'text'),
    },
  });
  runSlowOnesInTransactions(database);
  // While the database hangs, every statement loses its connection, so requests from outside could flood the log.
  const complainOfLoss = sayRarely<Error>((err, { unsaid }) =>
    log.warn({ err, unsaid }, 'database connection lost'),
  );
  // Without a listener, a broken connection ends the process. The pool replaces the connection.
  database.on('error', () => {});
  database.on('connect', (client) => {
    endWhenSilent(client as Transaction);
    client.on('error', (error) => {
      if (!database.ending) complainOfLoss(error);
    });
  });
  return database;
}

/**
 * After a failover, a name may lead to the former primary for a while. A session that begins there never becomes writable, and a pool keeps
 * a busy session for good.
 */
const STANDBY =
  'The Postgres at DATABASE_URL is a standby, which takes no changes. Name the primary; after a failover, the name has to lead there.';

/**
 * Makes the statement that begins a session, and asks whether the server is a standby. What others set for the server, the database or the
 * role must not change what our statements do.
 */
function sessionSettings(queryTimeoutMs: number): string {
  const settings = {
    statement_timeout: serverTimeoutMs(queryTimeoutMs),
    client_connection_check_interval: LOOKS_FOR_CLIENT_EVERY_MS,
    // A server with LLVM compiles statements that it estimates as expensive. The compilation takes longer than our statements.
    jit: 'off',
    lock_timeout: 0,
    idle_session_timeout: 0,
    // For the transactions of others in our sessions, as those of migrations.
    idle_in_transaction_session_timeout: SLOW_QUERY_TIMEOUT_MS,
    default_transaction_isolation: "'read committed'",
    // pg reads times in this form alone. In any other form they are null.
    datestyle: 'ISO',
    // Where clocks go forward at midnight, a series of days ends before its last day.
    timezone: "'UTC'",
    // A null in an array is the text NULL otherwise.
    array_nulls: 'on',
    // With a low value, Unix times of type float8 come rounded to minutes or years.
    extra_float_digits: 1,
  };
  const set = Object.entries(settings).map(([name, value]) => `SET ${name} = ${value}`);
  // Only Postgres 17 and newer have this setting.
  const optional = `SELECT set_config('transaction_timeout', '0', false) WHERE current_setting('transaction_timeout', true) IS NOT NULL`;
  return [...set, optional, 'SELECT pg_is_in_recovery() AS "isStandby"'].join('; ');
}

/** A slow statement needs its own deadline in Postgres, which is a SET. A SET outside a transaction stays with the connection. */
function runSlowOnesInTransactions(database: Database): void {
  const query = database.query.bind(database) as (...args: unknown[]) => unknown;
  const bounded = (...args: unknown[]): unknown => {
    const [statement] = args;
    if (!isSlow(statement)) return query(...args);
    return inTransaction(database, (transaction) => transaction.query(statement));
  };
  database.query = bounded as typeof database.query;
}

/** Returns the longest time of an ordinary statement of this pool, in ms. */
export function statementTimeoutMs(database: Database): number {
  return database.options.query_timeout ?? QUERY_TIMEOUT_MS;
}

/** Returns the limit in Postgres for a caller that waits for `timeoutMs`. 0 means no limit. */
function serverTimeoutMs(timeoutMs: number): number {
  return timeoutMs === 0 ? 0 : Math.max(timeoutMs - ENDS_EARLIER_MS, 1);
}

/** Disposal rolls the transaction back, unless it is committed. */
export interface OpenTransaction extends AsyncDisposable {
  readonly transaction: Transaction;
  commit(): Promise<void>;
}

export type TransactionSettings = Readonly<Record<string, string | number>>;

/**
 * Begins a transaction. Work other than SQL belongs in `whileIdle`. Postgres gives each statement of the transaction at least the limit of
 * a slow one.
 */
export async function openTransaction(
  database: Database,
  settings: TransactionSettings = {},
): Promise<OpenTransaction> {
  const transaction = await database.connect();
  const timeoutMs = statementTimeoutMs(database);
  const all = Object.entries({
    idle_in_transaction_session_timeout: Math.max(MAX_IDLE_MS, timeoutMs),
    statement_timeout: timeoutMs === 0 ? 0 : serverTimeoutMs(Math.max(timeoutMs, SLOW_QUERY_TIMEOUT_MS)),
    ...settings,
  });
  let isOpen = true;
  const takeBack = async () => {
    if (!isOpen) return;
    isOpen = false;
    await transaction.query('ROLLBACK').then(
      () => transaction.release(),
      // The connection is broken. Postgres rolls back when it notices the loss.
      () => transaction.release(true),
    );
  };
  try {
    await transaction.query(
      ['BEGIN', ...all.map(([name, value]) => `SET LOCAL ${name} = ${value}`)].join('; '),
    );
  } catch (error) {
    await takeBack();
    throw error;
  }
  return {
    transaction,
    async commit() {
      await transaction.query('COMMIT');
      isOpen = false;
      transaction.release();
    },
    [Symbol.asyncDispose]: takeBack,
  };
}

/** Runs `work` in a transaction. Any error rolls it back. `settings`: as in `openTransaction`. */
export async function inTransaction<Result>(
  database: Database,
  work: (transaction: Transaction) => Promise<Result>,
  settings?: TransactionSettings,
): Promise<Result> {
  await using opened = await openTransaction(database, settings);
  const result = await work(opened.transaction);
  await opened.commit();
  return result;
}

/**
 * Waits for statements of one transaction that were sent one directly after the other, without a wait for the answers in between. Postgres
 * runs them in this order, and all together cost one round trip. Each function must send its statements before it returns its promise. The
 * time limit of a statement includes the statements before it, so do not send an ordinary statement behind a slow one. Do not pipeline
 * COMMIT: after a failed statement, Postgres answers COMMIT with a rollback and without an error.
 */
export async function pipelined<const Sent extends readonly Promise<unknown>[]>(
  sent: Sent,
): Promise<{ -readonly [Place in keyof Sent]: Awaited<Sent[Place]> }> {
  const outcomes = await Promise.allSettled(sent);
  const errors = outcomes
    .filter(({ status }) => status === 'rejected')
    .map((one) => (one as PromiseRejectedResult).reason);
  // Statements after the one that failed fail only because the transaction is aborted.
  if (errors.length > 0) throw errors.find((error) => !hasCode(error, IN_FAILED_TRANSACTION)) ?? errors[0];
  return outcomes.map((one) => (one as PromiseFulfilledResult<unknown>).value) as never;
}

/** SQLSTATE of in_failed_sql_transaction. */
const IN_FAILED_TRANSACTION = '25P02';

/** Runs a part of a transaction. An error of `work` undoes this part alone. Parts run one after the other. */
export async function inSavepoint<Result>(
  transaction: Transaction,
  work: () => Promise<Result>,
): Promise<Result> {
  await transaction.query('SAVEPOINT part');
  try {
    const result = await work();
    await transaction.query('RELEASE SAVEPOINT part');
    return result;
  } catch (error) {
    // If this statement fails, the connection is broken, and the next statement of the transaction says so.
    await transaction.query('ROLLBACK TO SAVEPOINT part; RELEASE SAVEPOINT part').catch(() => {});
    throw error;
  }
}

/**
 * Settings of a transaction with named statements that find a few rows each. Postgres plans each statement once, for any number of rows.
 * For a small table, it plans to read the whole table, and keeps this plan when the table is large. So we disable scans of whole tables.
 */
export const KEPT_PLANS = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' };

/**
 * Runs work other than SQL inside a transaction. Meanwhile, a small statement each second shows Postgres that the client is still there.
 */
export async function whileIdle<Result>(
  transaction: Transaction,
  work: () => Promise<Result>,
): Promise<Result> {
  let sign: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    // If the small statement fails, the next statement of the transaction fails too, and that failure counts.
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

/**
 * Ends a connection when a statement gets no answer in time. A later statement on the connection waits for that answer, too. The pool may
 * pass such a connection on, because not every caller reports its errors to the pool.
 */
function endWhenSilent(client: Transaction): void {
  watchStatements(client, () => (error) => {
    if (error instanceof Error && error.message === 'Query read timeout') void client.end();
  });
}

/**
 * Makes a statement that may take long: it may wait for another publisher of the same domain, or touch tens of thousands of rows. `name`:
 * each connection keeps the plan of the statement under this name.
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

/**
 * Runs a statement that may touch millions of rows and take minutes. From then on, Postgres gives each statement of the transaction as long.
 */
export async function queryPatiently(
  transaction: Transaction,
  text: string,
  values: readonly unknown[],
): Promise<void> {
  await transaction.query(`SET LOCAL statement_timeout = ${PATIENT_QUERY_TIMEOUT_MS}`);
  const statement = { text, values: [...values], query_timeout: PATIENT_QUERY_TIMEOUT_MS };
  await transaction.query(statement);
}

function isSlow(statement: unknown): statement is pg.QueryConfig {
  return (statement as { query_timeout?: number } | null)?.query_timeout === SLOW_QUERY_TIMEOUT_MS;
}

/** Returns whether a lock was not free within `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03';
}

/** Returns whether Postgres ended the transaction because of a deadlock. */
export function isDeadlock(error: unknown): boolean {
  return hasCode(error, '40P01');
}

/** Returns the constraint that a statement violated. Undefined for any other error. */
export function violatedConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code?.startsWith('23') ? error.constraint : undefined;
}

/**
 * SQLSTATEs of a malformed value, a violated constraint, and a transaction that Postgres rolled back, for example because of a deadlock.
 * After 40003, the outcome is unknown.
 */
const FAULT_OF_MEMBER = /^(?:22|23|40(?!003))/;

/** Whether one member of a group may have made the statement fail. If so, the other members may succeed without that member. */
export function isFaultOfMember(error: unknown): boolean {
  return error instanceof pg.DatabaseError && FAULT_OF_MEMBER.test(error.code ?? '');
}
