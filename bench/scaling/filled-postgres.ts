/** A Postgres for a single bench, with the newest schema and rows of tools/filled. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../src/core/schema/migrate.ts';
import { createLog } from '../../src/platform/log.ts';
import { createDatabasePool } from '../../src/platform/postgres/database.ts';
import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded-postgres.ts';
import type { Secret } from '../../src/platform/secret.ts';
import { type FillOptions, fillDatabase } from '../../tools/filled/fill-database.ts';

interface FilledPostgres {
  readonly url: Secret;
  /** A temporary folder, in which the bench may keep more files. */
  readonly folder: string;
}

/** `name`: the name of the bench. At the end of the scope, the server stops, and its folder is deleted. */
export async function startFilledPostgres(
  scope: AsyncDisposableStack,
  name: string,
  launch: Parameters<typeof startEmbeddedPostgres>[1],
  fill: FillOptions,
): Promise<FilledPostgres> {
  const folder = await mkdtemp(join(tmpdir(), `waypost-${name}-`));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  const postgres = await startEmbeddedPostgres(join(folder, 'postgres'), launch);
  scope.defer(() => postgres.stop());
  const migration = createDatabasePool(postgres.url, 2, createLog('bench', 'warn'), 0);
  await migrate(migration);
  await migration.end();
  await fillDatabase(postgres.url.reveal(), fill);
  return { url: postgres.url, folder };
}
