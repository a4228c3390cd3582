/** A server of the oldest supported Postgres, or of any newer one before ours, as Debian packages it. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { OLDEST_POSTGRES } from '../../src/core/schema/migrate.ts';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/platform/postgres/embedded-postgres.ts';

const ROOT = '/usr/lib/postgresql';
/** The version of the embedded Postgres, with which all other tests run. */
const OURS = 18;

/** Returns the programs of the oldest such version. Undefined if none is installed. */
export function findOlderPostgres(): { readonly initdb: string; readonly postgres: string } | undefined {
  const versions = existsSync(ROOT) ? readdirSync(ROOT).map(Number) : [];
  const [oldest] = versions
    .filter((version) => version >= OLDEST_POSTGRES && version < OURS)
    .sort((a, b) => a - b);
  const file = (program: string) => join(ROOT, String(oldest), 'bin', program);
  if (oldest === undefined || !existsSync(file('initdb'))) return undefined;
  return { initdb: file('initdb'), postgres: file('postgres') };
}

/** Starts a server with its data in `folder`. */
export function startOlderPostgres(folder: string): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres(join(folder, 'postgres'), { durable: false, binaries: findOlderPostgres()! });
}
