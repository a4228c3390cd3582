/** One embedded Postgres for the whole run, with a migrated database to clone. */
import { rm } from 'node:fs/promises';
import { migrate } from '../../src/core/schema/migrate.ts';
import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded-postgres.ts';
import { Secret } from '../../src/platform/secret.ts';
import { createPatientPool } from './patient-pool.ts';
import { createScratchFolder } from './scratch-folder.ts';

export const TEMPLATE = 'waypost_template';

/** `url`: the URL of the server's maintenance database. */
export async function startPostgres(): Promise<AsyncDisposable & { readonly url: string }> {
  const folder = await createScratchFolder('postgres');
  const server = await startEmbeddedPostgres(folder, {
    durable: false,
    settings: { max_connections: '300' },
  });
  const url = server.url.reveal();
  await createTemplate(url);
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      await rm(folder, { recursive: true });
    },
  };
}

async function createTemplate(serverUrl: string): Promise<void> {
  const maintenance = createPatientPool(new Secret(serverUrl), 1);
  await maintenance.query(`CREATE DATABASE ${TEMPLATE}`);
  await maintenance.end();
  await shortenLogins(serverUrl);
  const template = createPatientPool(databaseUrl(serverUrl, TEMPLATE), 2);
  await migrate(template);
  await template.end();
}

/**
 * A login hashes the password once in place of 4,096 times, on both sides. A run has thousands of logins, and each of them costs 2 ms of
 * processor time less.
 */
export async function shortenLogins(serverUrl: string): Promise<void> {
  const server = createPatientPool(new Secret(serverUrl), 1);
  const { password } = new URL(serverUrl);
  await server.query(`SET scram_iterations = 1; ALTER ROLE CURRENT_USER PASSWORD '${password}'`);
  await server.end();
}

/** The address of another database on the same server. */
export function databaseUrl(serverUrl: string, name: string): Secret {
  const url = new URL(serverUrl);
  url.pathname = name;
  return new Secret(url.href);
}
