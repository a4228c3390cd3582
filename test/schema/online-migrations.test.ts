/** Migrations from here on run beside the service (docs/decisions/0043). */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../src/core/schema/check-schema.ts';
import { isWithoutTransaction } from '../../src/core/schema/load-migrations.ts';

const FIRST = '0017';

/** What takes long on a large table under a lock, or takes a lock that stops writers for long. */
const FORBIDDEN: Readonly<Record<string, RegExp>> = {
  'changes rows of a whole table: leave it to a backfill':
    /^\s*(UPDATE|DELETE|MERGE)\b|^\s*INSERT\b[^;]*\bSELECT\b/i,
  'rewrites or reads the table under a lock':
    /\b(SET NOT NULL|ALTER COLUMN \w+ (SET DATA )?TYPE|CLUSTER|VACUUM FULL)\b/i,
  'reads the table under a lock: add the constraint NOT VALID, then validate it':
    /\bADD (CONSTRAINT \w+ )?(CHECK|FOREIGN KEY|UNIQUE|PRIMARY KEY)\b(?![^;]*NOT VALID)/i,
  'a default that differs by row rewrites the table':
    /\bADD COLUMN\b[^,;]*\bDEFAULT\s+(nextval|random|gen_random_uuid|clock_timestamp)\b/i,
  'builds or drops an index under a lock': /\b(CREATE( UNIQUE)?|DROP) INDEX (?!CONCURRENTLY)/i,
};

function flawsOf(text: string): string[] {
  const bare = text.replace(/--.*$/gm, '');
  const created = new Set([...bare.matchAll(/CREATE (?:UNLOGGED )?TABLE (\w+)/g)].map(([, name]) => name));
  const all = bare.split(/;\s*$/m);
  const statements = all.filter((statement) => !isOfNewTable(statement, created));
  const found = Object.entries(FORBIDDEN).filter(([, pattern]) =>
    statements.some((statement) => pattern.test(statement.trim())),
  );
  const isConcurrent = /\bCONCURRENTLY\b/.test(bare);
  const changed = statements.find((statement) => /^\s*ALTER TABLE/i.test(statement));
  const lastMade = all.findLastIndex((statement) => /^\s*CREATE (UNLOGGED )?TABLE/i.test(statement));
  const locksEarly = changed !== undefined && all.indexOf(changed) < lastMade;
  return [
    ...found.map(([why]) => why),
    ...(locksEarly ? ['holds the lock of a table while it makes others: let it come after them'] : []),
    ...(isConcurrent && !isWithoutTransaction(text)
      ? ['an index that is built concurrently needs its own file']
      : []),
  ];
}

function isOfNewTable(statement: string, created: ReadonlySet<string | undefined>): boolean {
  const named = /^\s*(?:CREATE (?:UNIQUE )?INDEX \w+ ON|INSERT INTO|ALTER TABLE) (\w+)/i.exec(statement);
  return /^\s*CREATE (UNLOGGED )?TABLE/i.test(statement) || (named !== null && created.has(named[1]));
}

const files = (await readdir(MIGRATIONS)).filter((file) => file >= FIRST).sort();

test.each(files)('%s stops no writer', async (file) => {
  expect(flawsOf(await readFile(join(MIGRATIONS, file), 'utf8'))).toEqual([]);
});

test.each([
  'UPDATE domains SET a = 1;',
  'INSERT INTO domains (id) SELECT id FROM accounts;',
  'ALTER TABLE domains ADD COLUMN a text;\nCREATE INDEX a ON domains (a);',
  'DROP INDEX a;',
  'ALTER TABLE domains ALTER COLUMN a SET NOT NULL;',
  'ALTER TABLE domains ADD CONSTRAINT a CHECK (b > 0);',
  'ALTER TABLE domains ADD COLUMN a double precision DEFAULT random();',
  'CREATE INDEX CONCURRENTLY a ON domains (a);',
  'ALTER TABLE domains ADD COLUMN a text;\nCREATE TABLE t (a text);',
])('%s is found', (text) => {
  expect(flawsOf(text)).toHaveLength(1);
});

test('a new table may have all of that', () => {
  const text = `CREATE TABLE t (a text PRIMARY KEY CHECK (a <> ''));\nCREATE INDEX t_a ON t (a);\nINSERT INTO t SELECT 'x';`;
  expect(flawsOf(text)).toEqual([]);
});
