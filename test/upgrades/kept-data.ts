/** The data of versions before this one, kept by keep-data.ts. */
import { execFileSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { migrateJobs } from '../../src/core/jobs/migrate-jobs.ts';
import { withoutPipeline } from '../../src/platform/postgres/copy-rows.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { Secret } from '../../src/platform/secret.ts';
import { migrateTo } from '../../tools/filled/migrate-to.ts';
import { createPatientPool } from '../support/patient-pool.ts';

export interface KeptTables {
  /** The last one, as in 0016_small_uploads. */
  readonly migration: string;
  /** `name`: with the schema. */
  readonly tables: readonly { readonly name: string; readonly columns: readonly string[] }[];
  readonly sequences: readonly { readonly name: string; readonly last: number }[];
}

type Table = KeptTables['tables'][number];

/** What COPY copies of a table. */
export const copyOf = ({ name, columns }: Table) =>
  `${name} (${columns.map((column) => `"${column}"`).join(', ')})`;

export const tableFile = (folder: string, { name }: Table) => join(folder, 'tables', name);

const KEPT = join(import.meta.dirname, 'kept');

/** Returns the names of the archives, as in 0016-ede3ab2.tar.gz. */
export const keptArchives = async () => (await readdir(KEPT)).sort();

/** Unpacks it into `folder`. */
export function unpack(archive: string, folder: string): void {
  execFileSync('tar', ['-xzf', join(KEPT, archive), '-C', folder]);
}

/** Brings the tables of an unpacked archive back, as the version left them. Drops what the database has. */
export async function restoreTables(folder: string, url: string): Promise<void> {
  const { migration, tables, sequences }: KeptTables = JSON.parse(
    await readFile(join(folder, 'kept.json'), 'utf8'),
  );
  const database = createPatientPool(new Secret(url), 2);
  try {
    await database.query('DROP SCHEMA IF EXISTS public, graphile_worker CASCADE; CREATE SCHEMA public');
    await migrateTo(database, migration);
    await migrateJobs(database);
    await inTransaction(database, async (transaction) => {
      // Tables come in any order, whatever refers to them.
      await transaction.query("SET LOCAL session_replication_role = 'replica'");
      for (const table of tables) {
        await transaction.query(`TRUNCATE ${table.name} CASCADE`);
      }
      for (const table of tables) {
        const copying = copyFrom(`COPY ${copyOf(table)} FROM STDIN`);
        await withoutPipeline(transaction, () =>
          pipeline(createReadStream(tableFile(folder, table)), transaction.query(copying)),
        );
      }
      for (const { name, last } of sequences) await transaction.query('SELECT setval($1, $2)', [name, last]);
    });
  } finally {
    await database.end();
  }
}
