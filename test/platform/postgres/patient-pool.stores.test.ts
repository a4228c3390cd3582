/** A server that has fewer connections than its clients want, as one that others share. */
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { createDatabasePool } from '../../../src/platform/postgres/database.ts';
import { startEmbeddedPostgres } from '../../../src/platform/postgres/embedded-postgres.ts';
import { collectLog } from '../../support/collect-log.ts';
import { createPatientPool } from '../../support/patient-pool.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

const settings = {
  max_connections: '8',
  superuser_reserved_connections: '0',
  reserved_connections: '0',
  max_wal_senders: '0',
};
const server = await startEmbeddedPostgres(await createTemporaryFolder(), { durable: false, settings });
afterAll(() => server.stop());

async function hog(count: number) {
  const clients = Array.from(
    { length: count },
    () => new pg.Client({ connectionString: server.url.reveal() }),
  );
  await Promise.all(clients.map((client) => client.connect()));
  return {
    [Symbol.asyncDispose]: async () => void (await Promise.all(clients.map((client) => client.end()))),
  };
}

test('statements wait for connections that others have, and all succeed', async () => {
  await using _others = await hog(5);
  const pool = createPatientPool(server.url, 10);
  try {
    const statements = Array.from({ length: 60 }, (_, n) =>
      pool.query('SELECT pg_sleep(0.02), $1::int AS n', [n]),
    );
    const transactions = Array.from({ length: 20 }, async () => {
      const client = await pool.connect();
      try {
        return await client.query('SELECT 1');
      } finally {
        client.release();
      }
    });
    const rows = (await Promise.all(statements)).map(({ rows: [row] }) => row.n);
    expect(rows).toEqual(Array.from({ length: 60 }, (_, n) => n));
    expect(await Promise.all(transactions)).toHaveLength(20);
  } finally {
    await pool.end();
  }
});

test('without any connection, a statement fails after its time with the words of Postgres', async () => {
  await using _others = await hog(8);
  const pool = createDatabasePool(server.url, 2, collectLog(), 300);
  try {
    await expect(pool.query('SELECT 1')).rejects.toMatchObject({ code: '53300' });
  } finally {
    await pool.end();
  }
});
