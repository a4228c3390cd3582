/** A database for one test file, cloned from the migrated template. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll } from 'vitest';
import type { Database } from '../../src/platform/postgres/database.ts';
import type { Secret } from '../../src/platform/secret.ts';
import { borrow } from './borrow.ts';
import { createPatientPool } from './patient-pool.ts';
import { databaseUrl, TEMPLATE } from './postgres-server.ts';

export interface TestDatabase {
  readonly database: Database;
  /** The URL for a second pool, as in another process. The caller closes the pool. */
  readonly url: Secret;
}

/**
 * Call this at the top of a file. The database is dropped when the file ends. A connection that is still open fails the file.
 */
export async function createTestDatabase(template = TEMPLATE): Promise<TestDatabase> {
  const serverUrl = await borrow('postgres');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await runOnServer(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  const url = databaseUrl(serverUrl, name);
  const database = createPatientPool(url, 20);
  afterAll(async () => {
    await database.end();
    // Without FORCE, DROP DATABASE waits some seconds for connections to end, and then fails.
    await runOnServer(serverUrl, `DROP DATABASE ${name}`);
  });
  return { database, url };
}

async function runOnServer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
