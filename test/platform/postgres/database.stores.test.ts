import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createDatabasePool,
  inTransaction,
  pipelined,
  slowStatement,
  violatedConstraint,
  whileIdle,
} from '../../../src/platform/postgres/database.ts';
import { Secret } from '../../../src/platform/secret.ts';
import { collectLog } from '../../support/collect-log.ts';
import { startFaultProxy } from '../../support/fault-proxy.ts';
import { settled } from '../../support/soon.ts';
import { createTestDatabase } from '../../support/test-database.ts';

const { database, url } = await createTestDatabase();

beforeAll(async () => {
  await database.query('CREATE TABLE rows (id integer PRIMARY KEY)');
});

const countRows = async () => (await database.query('SELECT count(*) AS count FROM rows')).rows[0].count;

describe('a transaction', () => {
  test('returns its result after the commit', async () => {
    const result = await inTransaction(database, async (transaction) => {
      await transaction.query('INSERT INTO rows VALUES (-1)');
      return 'done';
    });
    expect(result).toBe('done');
    expect(await countRows()).toBe(1);
    await database.query('DELETE FROM rows');
  });

  test('is rolled back by any error, and passes it on', async () => {
    const problem = new Error('no');
    const attempt = inTransaction(database, async (transaction) => {
      await transaction.query('INSERT INTO rows VALUES (-2)');
      throw problem;
    });
    await expect(attempt).rejects.toBe(problem);
    expect(await countRows()).toBe(0);
  });

  test('fails if its connection is lost, and the pool continues without it', async () => {
    const log = collectLog();
    const pool = createDatabasePool(url, 1, log);
    try {
      const attempt = inTransaction(pool, async (transaction) => {
        const { rows } = await transaction.query('SELECT pg_backend_pid() AS pid');
        await database.query('SELECT pg_terminate_backend($1, 5000)', [rows[0].pid]);
        await transaction.query('SELECT 1');
      });
      await expect(attempt).rejects.toThrow();
      expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
      expect(pool.totalCount).toBe(1);
    } finally {
      await pool.end();
    }
  });
});

describe('pipelined statements', () => {
  const named = (name: string, text: string) => ({ name, text });

  test('are all sent before the first answer, and are answered in order', async () => {
    const address = new URL(url.reveal());
    await using proxy = await startFaultProxy({ port: Number(address.port), protocol: 'postgres' });
    address.port = String(proxy.port);
    const pool = createDatabasePool(new Secret(address.href), 1, collectLog());
    try {
      await inTransaction(pool, async (transaction) => {
        proxy.resetCounts();
        const sent = Promise.withResolvers<number>();
        const look = async () => {
          await expect.poll(() => proxy.requests).toBeGreaterThanOrEqual(3);
          sent.resolve(proxy.responses);
        };
        proxy.rule = { at: 'response', n: 1, action: { call: look, thenPass: true } };
        const answers = await pipelined([
          transaction.query('SELECT 1 AS n'),
          transaction.query(named('second', 'SELECT 2 AS n')),
          transaction.query('SELECT $1::integer AS n', [3]),
        ]);
        expect(answers.map(({ rows }) => rows[0].n)).toEqual([1, 2, 3]);
        // The first answer has reached the proxy only.
        expect(await sent.promise).toBe(1);
      });
    } finally {
      await pool.end();
    }
  });

  test('fail with the error of the one that failed first, and commit nothing', async () => {
    const later = async <Value>(value: Promise<Value>) => {
      // More awaits than those of the statements that are behind it.
      for (let i = 0; i < 20; i++) await Promise.resolve();
      return await value.then((it) => it);
    };
    const attempt = inTransaction(database, (transaction) =>
      pipelined([
        transaction.query('INSERT INTO rows VALUES (201)'),
        later(later(transaction.query(named('divided', 'SELECT 1 / 0')))),
        transaction.query('INSERT INTO rows VALUES (202)'),
      ]),
    );
    await expect(attempt).rejects.toMatchObject({ code: '22012' });
    expect(await countRows()).toBe(0);
  });

  test('that failed can run again on the same connection', async () => {
    const pool = createDatabasePool(url, 1, collectLog());
    const insert = (n: number) => ({ name: 'insert-row', text: 'INSERT INTO rows VALUES ($1)', values: [n] });
    try {
      const attempt = inTransaction(pool, (transaction) =>
        pipelined([transaction.query('SELECT FROM nowhere'), transaction.query(insert(203))]),
      );
      await expect(attempt).rejects.toMatchObject({ code: '42P01' });
      await inTransaction(pool, (transaction) =>
        pipelined([transaction.query(insert(203)), transaction.query(insert(204))]),
      );
      expect(await countRows()).toBe(2);
    } finally {
      await database.query('DELETE FROM rows');
      await pool.end();
    }
  });

  test('that get no answer fail in time, and the pool goes on without their connection', async () => {
    const address = new URL(url.reveal());
    await using proxy = await startFaultProxy({ port: Number(address.port), protocol: 'postgres' });
    address.port = String(proxy.port);
    const pool = createDatabasePool(new Secret(address.href), 1, collectLog());
    try {
      const attempt = inTransaction(pool, (transaction) => {
        proxy.rule = { at: 'response', n: 2, action: 'hang' };
        return pipelined([1, 2, 3].map((n) => transaction.query(`SELECT ${n}`)));
      });
      await expect(attempt).rejects.toThrow(/timeout|terminated/);
      expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    } finally {
      await pool.end();
    }
  });
});

describe('a transaction during other work', () => {
  /** Longer than Postgres waits for a client without a sign of life. */
  const LONG_MS = 6500;
  /** With the timeouts of production. The other pool looks at it. */
  const pool = createDatabasePool(url, 1, collectLog());
  afterAll(() => pool.end());
  const locked = (key: number) => `SELECT pg_advisory_xact_lock(${key})`;
  const isLocked = async (key: number) =>
    !(await database.query(`SELECT pg_try_advisory_xact_lock(${key}) AS free`)).rows[0].free;

  test('keeps its locks if it asks to', async () => {
    await inTransaction(pool, async (transaction) => {
      await transaction.query(locked(1));
      await whileIdle(transaction, () => delay(LONG_MS));
      expect(await isLocked(1)).toBe(true);
    });
    expect(await isLocked(1)).toBe(false);
  });

  test('loses its locks if it stays silent', async () => {
    const silent = inTransaction(pool, async (transaction) => {
      await transaction.query(locked(2));
      expect(await isLocked(2)).toBe(true);
      await expect.poll(() => isLocked(2)).toBe(false);
      await transaction.query('SELECT');
    });
    await expect(silent).rejects.toThrow(/connection|terminat/i);
  });

  test('fails if that work fails', async () => {
    const failing = inTransaction(database, (transaction) =>
      whileIdle(transaction, () => Promise.reject(new Error('no store'))),
    );
    await expect(failing).rejects.toThrow('no store');
  });
});

test('a lost idle connection is logged and replaced', async () => {
  const log = collectLog();
  const pool = createDatabasePool(url, 1, log);
  try {
    const { rows } = await pool.query('SELECT pg_backend_pid() AS pid');
    const removed = new Promise((resolve) => pool.once('remove', resolve));
    await database.query('SELECT pg_terminate_backend($1, 5000)', [rows[0].pid]);
    await settled(removed, 'the end of the connection');
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    expect(log.lines.map(({ level }) => level)).toContain('warn');
  } finally {
    await pool.end();
  }
});

test('a connection whose statement times out serves nobody else', async () => {
  const address = new URL(url.reveal());
  await using proxy = await startFaultProxy({ port: Number(address.port), protocol: 'postgres' });
  address.port = String(proxy.port);
  const pool = createDatabasePool(new Secret(address.href), 1, collectLog());
  try {
    const client = await pool.connect();
    proxy.rule = { at: 'response', n: 1, action: 'hang' };
    await expect(client.query('SELECT 1')).rejects.toThrow('timeout');
    // A caller that does not tell the pool about the error.
    client.release();
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  } finally {
    await pool.end();
  }
});

test('settings that others made for the database change nothing', async () => {
  const foreign = {
    datestyle: 'German',
    default_transaction_isolation: 'serializable',
    lock_timeout: '1ms',
    idle_session_timeout: '1s',
    transaction_timeout: '1s',
    timezone: 'America/Santiago',
    array_nulls: 'off',
    idle_in_transaction_session_timeout: '1ms',
    extra_float_digits: '-9',
  };
  const { rows: names } = await database.query('SELECT current_database() AS name');
  const alter = (change: string) => database.query(`ALTER DATABASE ${names[0].name} ${change}`);
  for (const [name, value] of Object.entries(foreign)) await alter(`SET ${name} = '${value}'`);
  const pool = createDatabasePool(url, 1, collectLog());
  try {
    const { rows } = await pool.query(
      `SELECT timestamptz '2026-01-02T03:04:05Z' AS at, current_setting('transaction_isolation') AS isolation,
              current_setting('lock_timeout') AS lock, current_setting('idle_session_timeout') AS idle,
              current_setting('transaction_timeout') AS transaction,
              (SELECT count(*) FROM generate_series(date '2026-09-01', date '2026-09-30', interval '1 day')) AS days,
              current_setting('idle_in_transaction_session_timeout') AS "idleInTransaction",
              ($1::text[])[1] IS NULL AS "isNull", 1767323045::float8 AS second`,
      [[null]],
    );
    expect(rows).toEqual([
      {
        at: new Date('2026-01-02T03:04:05Z'),
        isolation: 'read committed',
        lock: '0',
        idle: '0',
        transaction: '0',
        days: 30,
        idleInTransaction: '30s',
        isNull: true,
        second: 1767323045,
      },
    ]);
  } finally {
    await pool.end();
    await alter('RESET ALL');
  }
});

test('a count is a number', async () => {
  expect((await database.query('SELECT 9007199254740991::bigint AS most')).rows).toEqual([
    { most: Number.MAX_SAFE_INTEGER },
  ]);
});

test('a broken constraint is named, and other errors have none', async () => {
  const errorOf = (statement: string) => database.query(statement).catch((error: unknown) => error);
  const insert =
    "INSERT INTO api_keys (id, account_id, name, prefix, key_hash) VALUES ('k', 'none', '', '', '')";
  expect(violatedConstraint(await errorOf(insert))).toBe('api_keys_account_id_fkey');
  expect(violatedConstraint(await errorOf('SELECT FROM nowhere'))).toBeUndefined();
  expect(violatedConstraint(new Error('23505'))).toBeUndefined();
  expect(violatedConstraint(undefined)).toBeUndefined();
});

describe('a statement whose caller gave up', () => {
  const SHORT_MS = 1000;
  /** Longer than Postgres takes to notice a client that is gone, and than the short deadline. */
  const SLOW_SECONDS = 5;
  const insertLate = (id: number) =>
    `INSERT INTO rows SELECT ${id} FROM (SELECT pg_sleep(${SLOW_SECONDS})) AS late`;
  const isRunning = async (id: number) => {
    const { rows } = await database.query(
      `SELECT FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() AND query LIKE $1`,
      [`INSERT INTO rows SELECT ${id} %`],
    );
    return rows.length > 0;
  };

  test('ends in Postgres before that, and its connection works on', async () => {
    const pool = createDatabasePool(url, 1, collectLog(), SHORT_MS);
    try {
      const connection = await pool.connect();
      // On a busy machine, the deadline of the client may be seen first.
      await expect(connection.query(insertLate(101))).rejects.toThrow(/timeout/);
      expect((await connection.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
      connection.release();
      expect(await isRunning(101)).toBe(false);
      expect(await countRows()).toBe(0);
    } finally {
      await pool.end();
    }
  });

  test('a slow one has its own deadline, with and without a transaction, and later ones have the ordinary one', async () => {
    const pool = createDatabasePool(url, 1, collectLog(), SHORT_MS);
    try {
      const { rows } = await pool.query(slowStatement("SELECT pg_sleep(1.2), 'done' AS state", []));
      expect(rows).toMatchObject([{ state: 'done' }]);
      await inTransaction(pool, (transaction) =>
        transaction.query(slowStatement('SELECT pg_sleep(1.2)', [])),
      );
      await expect(pool.query(`SELECT pg_sleep(${SLOW_SECONDS})`)).rejects.toThrow(/timeout/);
    } finally {
      await pool.end();
    }
  });

  test('ends with its connection, and commits nothing', async () => {
    const pool = createDatabasePool(url, 1, collectLog(), 60_000);
    try {
      const connection = await pool.connect();
      const late = connection.query(insertLate(102)).catch((error: unknown) => error);
      await expect.poll(() => isRunning(102)).toBe(true);
      // As a process that dies does.
      (connection as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
      expect(await late).toBeInstanceOf(Error);
      connection.release(true);
      await expect.poll(() => isRunning(102)).toBe(false);
      expect(await countRows()).toBe(0);
    } finally {
      await pool.end();
    }
  });
});
