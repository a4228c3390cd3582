/** Postgres: the pool and transactions. SQL itself stands in the `*-store.ts` of its concept. */
import pg from 'pg';
import type { Log } from '../log.ts';
import { sayRarely } from '../say-rarely.ts';
import type { Secret } from '../secret.ts';
import { watchStatements } from './watch-statements.ts';

/** What a store needs to run a statement: the pool, or a transaction. */
export type Queryable = Pick<pg.ClientBase, 'query'>;
export type Database = pg.Pool;
export type Transaction = pg.PoolClient;

/**
 * How long ordinary statements may take before the request they serve is answered as an outage: a database
 * that hangs must not hang its clients.
 */
const QUERY_TIMEOUT_MS = 2000;

const SLOW_QUERY_TIMEOUT_MS = 30_000;

/**
 * A transaction that is idle for so long is ended by Postgres, which cannot tell a client that is out of reach from one
 * that thinks: without it, its locks would be held until TCP gives up, for hours.
 */
const MAX_IDLE_MS = 5000;
const SIGN_OF_LIFE_MS = 1000;

const INT8 = pg.types.builtins.INT8;

/** Connects when it is first asked; the caller ends it. `queryTimeoutMs`: 0 for none, as migrations need. */
export function createDatabasePool(
  url: Secret,
  connections: number,
  log: Log,
  queryTimeoutMs = QUERY_TIMEOUT_MS,
): Database {
  const database = new pg.Pool({
    connectionString: url.reveal(),
    max: connections,
    connectionTimeoutMillis: QUERY_TIMEOUT_MS,
    query_timeout: queryTimeoutMs,
    application_name: 'waypost',
    // Counts and sizes stay far below 2^53.
    types: {
      getTypeParser: (oid, format) =>
        oid === INT8 && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format as 'text'),
    },
  });
  // A database that hangs costs a connection for each statement, and strangers cause statements.
  const complainOfLoss = sayRarely<Error>(Date.now, (err, { unsaid }) =>
    log.warn({ err, unsaid }, 'database connection lost'),
  );
  // Without listeners a connection that breaks would end the process; the pool replaces it.
  database.on('error', () => {});
  database.on('connect', (client) => {
    endWhenSilent(client as Transaction);
    client.on('error', (error) => {
      if (!database.ending) complainOfLoss(error);
    });
  });
  return database;
}

/** Runs `work` in a transaction; any error rolls it back. What is not SQL in it belongs into `whileIdle`. */
export async function inTransaction<Result>(
  database: Database,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  const client = await database.connect();
  try {
    await client.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${MAX_IDLE_MS}`);
    const result = await work(client);
    await client.query('COMMIT');
    client.release();
    return result;
  } catch (error) {
    const isRolledBack = await rollBack(client);
    // Otherwise the connection itself is broken, and Postgres rolls back when it notices.
    client.release(!isRolledBack);
    throw error;
  }
}

/** Does something else in the middle of a transaction, and meanwhile tells Postgres that its client is still there. */
export async function whileIdle<Result>(
  transaction: Transaction,
  work: () => Promise<Result>,
): Promise<Result> {
  let sign: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    // Should it fail, the next statement fails too, and is the one that counts.
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
 * Ends a connection on which a statement had no answer in time: whatever came after it on that connection would wait
 * for that answer, and whoever had it next from the pool too, for not everyone tells the pool of its errors.
 */
function endWhenSilent(client: Transaction): void {
  watchStatements(client, () => (error) => {
    if (error instanceof Error && error.message === 'Query read timeout') void client.end();
  });
}

/** A statement that may wait for another publisher of the same domain, or touch tens of thousands of rows. */
export function slowStatement(text: string, values: readonly unknown[]): pg.QueryConfig {
  // pg reads a statement's own deadline from this property, which its types do not know.
  const statement = { text, values: [...values], query_timeout: SLOW_QUERY_TIMEOUT_MS };
  return statement;
}

/** The constraint that a statement broke, or undefined when the error is another one. */
export function violatedConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code?.startsWith('23') ? error.constraint : undefined;
}
