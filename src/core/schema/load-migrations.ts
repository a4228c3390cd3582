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

/** The limit is short: while a migration waits for a lock on a table, all other queries of that table wait behind it. */
const LOCK_TIMEOUT_MS = 50;

const NO_TRANSACTION = '-- no transaction\n';

export const loadMigrations: Loader = (files) =>
  Promise.all(
    files.map(async (file) => {
      const text = await readFile(file, 'utf8');
      const statements = statementsOf(text);
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

function statementsOf(text: string): string[] {
  if (!isWithoutTransaction(text)) return [`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`, text];
  return text.split(/;\n/).filter((statement) => statement.trim() !== '');
}
