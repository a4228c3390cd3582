/** A Postgres that follows another one, and becomes the primary. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createDatabasePool } from '../../../src/platform/postgres/database.ts';
import { startEmbeddedPostgres } from '../../../src/platform/postgres/embedded-postgres.ts';
import { ConfigError } from '../../../src/platform/process/config-error.ts';
import { collectLog } from '../../support/collect-log.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

test('a standby gets no session, and the pool works as soon as the server is the primary', async () => {
  const folder = await createTemporaryFolder();
  await (await startEmbeddedPostgres(folder, { durable: false })).stop();
  await writeFile(join(folder, 'cluster', 'standby.signal'), '');
  const standby = await startEmbeddedPostgres(folder, { durable: false });
  const pool = createDatabasePool(standby.url, 2, collectLog());
  onTestFinished(async () => {
    await pool.end();
    await standby.stop();
  });

  const refused = await pool.query('SELECT 1').catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ConfigError);
  expect(String(refused)).toContain('is a standby');

  const other = new pg.Client({ connectionString: standby.url.reveal() });
  await other.connect();
  await other.query('SELECT pg_promote()');
  await other.end();
  await pool.query('CREATE TABLE written ()');
});
