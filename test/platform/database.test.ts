import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  connectDatabase,
  copyRows,
  inTransaction,
  violatedConstraint,
  whileIdle,
} from '../../src/platform/database.ts';
import { Secret } from '../../src/platform/secret.ts';
import { collectLog } from '../support/collect-log.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database, url } = await createTestDatabase();

beforeAll(async () => {
  await database.query(
    'CREATE TABLE copied (id integer PRIMARY KEY, text text, count bigint, at timestamptz)',
  );
});

const countRows = async () => (await database.query('SELECT count(*) AS count FROM copied')).rows[0].count;

describe('a transaction', () => {
  test('gives its result once it is committed', async () => {
    const result = await inTransaction(database, async (transaction) => {
      await transaction.query("INSERT INTO copied VALUES (-1, 'x')");
      return 'done';
    });
    expect(result).toBe('done');
    expect(await countRows()).toBe(1);
    await database.query('DELETE FROM copied');
  });

  test('is rolled back by any error, which is passed on', async () => {
    const problem = new Error('no');
    const attempt = inTransaction(database, async (transaction) => {
      await transaction.query("INSERT INTO copied VALUES (-2, 'x')");
      throw problem;
    });
    await expect(attempt).rejects.toBe(problem);
    expect(await countRows()).toBe(0);
  });

  test('that loses its connection fails, and the pool goes on without it', async () => {
    const log = collectLog();
    const pool = connectDatabase(url, 1, log);
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

describe('a transaction that does something else', () => {
  /** Longer than Postgres waits for a client that gives no sign of life. */
  const LONG_MS = 6500;
  const locked = (key: number) => `SELECT pg_advisory_xact_lock(${key})`;
  const isLocked = async (key: number) =>
    !(await database.query(`SELECT pg_try_advisory_xact_lock(${key}) AS free`)).rows[0].free;

  test('keeps its locks when it says so', { timeout: 20_000 }, async () => {
    await inTransaction(database, async (transaction) => {
      await transaction.query(locked(1));
      await whileIdle(transaction, () => delay(LONG_MS));
      expect(await isLocked(1)).toBe(true);
    });
    expect(await isLocked(1)).toBe(false);
  });

  test('and is not heard of has no lock any more', { timeout: 20_000 }, async () => {
    const silent = inTransaction(database, async (transaction) => {
      await transaction.query(locked(2));
      await delay(LONG_MS);
      expect(await isLocked(2)).toBe(false);
      await transaction.query('SELECT');
    });
    await expect(silent).rejects.toThrow();
  });

  test('fails as that fails', async () => {
    const failing = inTransaction(database, (transaction) =>
      whileIdle(transaction, () => Promise.reject(new Error('no store'))),
    );
    await expect(failing).rejects.toThrow('no store');
  });
});

test('an idle connection that is lost is logged and replaced', async () => {
  const log = collectLog();
  const pool = connectDatabase(url, 1, log);
  try {
    const { rows } = await pool.query('SELECT pg_backend_pid() AS pid');
    const removed = new Promise((resolve) => pool.once('remove', resolve));
    await database.query('SELECT pg_terminate_backend($1, 5000)', [rows[0].pid]);
    await removed;
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    expect(log.lines.map(({ level }) => level)).toContain('warn');
  } finally {
    await pool.end();
  }
});

test('a connection on which a statement has no answer in time serves nobody else', async () => {
  const address = new URL(url.reveal());
  await using proxy = await startFaultProxy({ port: Number(address.port), protocol: 'postgres' });
  address.port = String(proxy.port);
  const pool = connectDatabase(new Secret(address.href), 1, collectLog());
  try {
    const client = await pool.connect();
    proxy.rule = { at: 'response', n: 1, action: 'hang' };
    await expect(client.query('SELECT 1')).rejects.toThrow('timeout');
    // As someone does who does not tell the pool of the error.
    client.release();
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  } finally {
    await pool.end();
  }
});

test('a count comes back as a number', async () => {
  expect((await database.query('SELECT 9007199254740991::bigint AS most')).rows).toEqual([
    { most: Number.MAX_SAFE_INTEGER },
  ]);
});

describe('copied rows', () => {
  const text = fc
    .array(fc.oneof(fc.constantFrom('\t', '\n', '\r', '\\', '\\N', '\\.', '\\t', 'é', '😀'), fc.string()), {
      maxLength: 6,
    })
    // Postgres has no NUL in text.
    .map((parts) => parts.join('').replaceAll('\0', ''));
  const rows = fc.array(
    fc.tuple(
      text,
      fc.maxSafeInteger(),
      fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }),
    ),
    { maxLength: 5 },
  );

  test('read back as they were', async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (values) => {
        await database.query('TRUNCATE copied');
        const numbered = values.map((row, id) => [id, ...row]);
        await inTransaction(database, (transaction) =>
          copyRows(transaction, 'copied', ['id', 'text', 'count', 'at'], numbered),
        );
        const { rows } = await database.query({
          text: 'SELECT id, text, count, at FROM copied ORDER BY id',
          rowMode: 'array',
        });
        expect(rows).toEqual(numbered);
      }),
      { numRuns: PROPERTY_RUNS },
    );
  });

  test('may be many', async () => {
    await database.query('TRUNCATE copied');
    const many = Array.from({ length: 50_000 }, (_, id) => [id, `text ${id}`]);
    await inTransaction(database, (transaction) => copyRows(transaction, 'copied', ['id', 'text'], many));
    expect(await countRows()).toBe(many.length);
    await database.query('TRUNCATE copied');
  });

  test('of which one breaks a constraint are none, and the transaction can end', async () => {
    const attempt = inTransaction(database, (transaction) =>
      copyRows(
        transaction,
        'copied',
        ['id', 'text'],
        [
          [1, 'a'],
          [1, 'b'],
        ],
      ),
    );
    expect(violatedConstraint(await attempt.catch((error: unknown) => error))).toBe('copied_pkey');
    expect(await countRows()).toBe(0);
  });

  test('whose source fails are none', async () => {
    function* failing() {
      yield [1, 'a'];
      throw new Error('no more');
    }
    const attempt = inTransaction(database, (transaction) =>
      copyRows(transaction, 'copied', ['id', 'text'], failing()),
    );
    await expect(attempt).rejects.toThrow('no more');
    expect(await countRows()).toBe(0);
  });
});

test('the constraint that was broken is named, and of other errors none', async () => {
  const errorOf = (statement: string) => database.query(statement).catch((error: unknown) => error);
  const insert =
    "INSERT INTO api_keys (id, account_id, name, prefix, key_hash) VALUES ('k', 'none', '', '', '')";
  expect(violatedConstraint(await errorOf(insert))).toBe('api_keys_account_id_fkey');
  expect(violatedConstraint(await errorOf('SELECT FROM nowhere'))).toBeUndefined();
  expect(violatedConstraint(new Error('23505'))).toBeUndefined();
  expect(violatedConstraint(undefined)).toBeUndefined();
});
