/**
 * Reads migrations for node-pg-migrate. A file is one transaction, unless it begins with the line `-- no transaction`. Then each
 * of its statements is a transaction of its own, as CREATE INDEX CONCURRENTLY requires. Such a file can be run again if it ends
 * in the middle.
 */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { RunnerOption } from 'node-pg-migrate';

type Strategy = NonNullable<RunnerOption['migrationLoaderStrategies']>[number];
type Loader = Exclude<Strategy['loader'], string>;

const NO_TRANSACTION = '-- no transaction\n';

/**
 * Returns the loader. `lockTimeoutMs`: the limit of a wait for a lock. While a migration waits for a lock on a table, all other queries of
 * that table wait behind it.
 */
export const loadMigrations =
  (lockTimeoutMs: number): Loader =>
  (files) =>
    Promise.all(
      files.map(async (file) => {
        const text = await readFile(file, 'utf8');
        const statements = statementsOf(text, lockTimeoutMs);
        return {
          id: basename(file, '.sql'),
          filePaths: [file],
          actions: {
            up: (builder) => {
              if (isWithoutTransaction(text)) builder.noTransaction();
              for (const statement of statements) builder.sql(statement);
            },
            down: false,
          },
        };
      }),
    );

export function isWithoutTransaction(text: string): boolean {
  return text.startsWith(NO_TRANSACTION);
}

function statementsOf(text: string, lockTimeoutMs: number): string[] {
  if (!isWithoutTransaction(text)) return [`SET LOCAL lock_timeout = ${lockTimeoutMs}`, text];
  return text.split(/;\n/).filter((statement) => statement.trim() !== '');
}
