/** A real PgBouncer between Waypost and Postgres. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { migrate } from '../../../src/core/schema/migrate.ts';
import { checkSessions } from '../../../src/platform/postgres/check-sessions.ts';
import {
  createDatabasePool,
  type Database,
  inTransaction,
  pipelined,
} from '../../../src/platform/postgres/database.ts';
import { ConfigError } from '../../../src/platform/process/config-error.ts';
import { Secret } from '../../../src/platform/secret.ts';
import { freePort } from '../../../tools/free-port.ts';
import { collectLog } from '../../support/collect-log.ts';
import { needs } from '../../support/needs.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { createTestDatabase } from '../../support/test-database.ts';

const { database, url } = await createTestDatabase();
const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends) await end();
});

async function openThrough(mode: 'session' | 'transaction', timeoutMs?: number): Promise<Database> {
  const folder = await createTemporaryFolder();
  const { hostname, port, username, password, pathname } = new URL(url.reveal());
  const name = pathname.slice(1);
  const listen = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(
    file,
    `[databases]
${name} = host=${hostname} port=${port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listen}
auth_type = any
pool_mode = ${mode}
unix_socket_dir =
`,
  );
  // It refuses to run as root, so another user reads the file.
  await chmod(folder, 0o755);
  const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const bouncer: ChildProcess = spawn('pgbouncer', [...asUser, file], { stdio: 'ignore' });
  const pool = createDatabasePool(
    new Secret(`postgres://any@127.0.0.1:${listen}/${name}`),
    4,
    collectLog(),
    timeoutMs,
  );
  ends.push(async () => {
    await pool.end();
    bouncer.kill('SIGKILL');
  });
  await expect
    .poll(() =>
      pool.query('SELECT 1').then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  return pool;
}

describe('PgBouncer', needs('pgbouncer'), () => {
  test('in transaction mode is refused with the cure', async () => {
    const pool = await openThrough('transaction');
    await expect(checkSessions(pool)).rejects.toThrow(ConfigError);
    await expect(checkSessions(pool)).rejects.toThrow('pool_mode = session');
  });

  test('in transaction mode keeps no lock of a migration, for which later ones wait', async () => {
    await expect(migrate(await openThrough('transaction'))).rejects.toThrow('pool_mode = session');
    const { rows } = await database.query(
      `SELECT FROM pg_locks WHERE locktype = 'advisory'
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    expect(rows).toEqual([]);
  });

  test('in session mode is like Postgres itself, where a statement that is given up ends too', async () => {
    const pool = await openThrough('session', 1000);
    await checkSessions(pool);
    await checkSessions(database);
    await database.query('CREATE TABLE given_up (n integer)');
    const late = 'INSERT INTO given_up SELECT 1 FROM (SELECT pg_sleep(4)) AS late';
    await expect(pool.query(late)).rejects.toMatchObject({ code: '57014' });
    const connection = await pool.connect();
    const broken = connection.query({ text: late, query_timeout: 100 } as { text: string }).then(
      () => undefined,
      (error: Error) => error.message,
    );
    expect(await broken).toContain('timeout');
    connection.release(true);
    const isRunning = async () =>
      (
        await database.query(
          `SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'INSERT INTO given_up%'`,
        )
      ).rowCount;
    await expect.poll(isRunning).toBe(0);
    expect((await database.query('SELECT FROM given_up')).rowCount).toBe(0);
  });

  test('in session mode takes pipelined statements, and goes on after one that failed', async () => {
    const pool = await openThrough('session');
    const numbers = (second: string) =>
      inTransaction(pool, async (transaction) => {
        const named = { name: `number-${second}`, text: `SELECT ${second} AS n` };
        const answers = await pipelined([
          transaction.query('SELECT 1 AS n'),
          transaction.query(named),
          transaction.query({ name: 'third', text: 'SELECT $1::integer AS n', values: [3] }),
        ]);
        return answers.map(({ rows }) => rows[0].n);
      });
    expect(await numbers('2')).toEqual([1, 2, 3]);
    await expect(numbers('1 / 0')).rejects.toMatchObject({ code: '22012' });
    expect(await numbers('2')).toEqual([1, 2, 3]);
  });
});
