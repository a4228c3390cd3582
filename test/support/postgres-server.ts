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
  const template = createPatientPool(databaseUrl(serverUrl, TEMPLATE), 2);
  await migrate(template);
  await template.end();
}

/** The address of another database on the same server. */
export function databaseUrl(serverUrl: string, name: string): Secret {
  const url = new URL(serverUrl);
  url.pathname = name;
  return new Secret(url.href);
}
