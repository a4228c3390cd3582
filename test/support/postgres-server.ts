/** Vitest's global setup: one embedded Postgres for the whole run, with a migrated database to clone. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded-postgres.ts';
import { Secret } from '../../src/platform/secret.ts';
import { migrate } from '../../src/schema/migrate.ts';
import { createPatientPool } from './patient-pool.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of the server's maintenance database. */
    readonly postgresUrl: string;
  }
}

export const TEMPLATE = 'waypost_template';

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'waypost-postgres-'));
  const server = await startEmbeddedPostgres(folder, {
    durable: false,
    settings: { max_connections: '300' },
  });
  await createTemplate(server.url.reveal());
  project.provide('postgresUrl', server.url.reveal());
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true });
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
