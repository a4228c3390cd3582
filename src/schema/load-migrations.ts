/**
 * Reads migrations for node-pg-migrate. A file is one transaction, or begins with the line `-- no transaction`: then each of its
 * statements is one by itself, as indexes need that are built concurrently. Those can be run again if they end in the middle.
 */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { RunnerOption } from 'node-pg-migrate';

type Strategy = NonNullable<RunnerOption['migrationLoaderStrategies']>[number];
type Loader = Exclude<Strategy['loader'], string>;

/** Whoever wants a row of a table waits behind a migration that waits for the table. */
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
