import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { copyRows } from '../../../src/platform/postgres/copy-rows.ts';
import { inTransaction, pipelined } from '../../../src/platform/postgres/database.ts';
import { createTestDatabase } from '../../support/test-database.ts';

const { database } = await createTestDatabase();
await database.query('CREATE TABLE copied (n integer, words text)');
beforeEach(() => database.query('TRUNCATE copied'));

type Row = readonly [number, string | null];

const copy = (rows: Iterable<Row>) =>
  inTransaction(database, (transaction) => copyRows(transaction, 'copied (n, words)', rows));
const copied = async () => (await database.query('SELECT n, words FROM copied ORDER BY n')).rows;

test('any text arrives as it is, and null', async () => {
  const words = fc.option(
    fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom('\\', '\t', '\n', '\r', 'N', '.', 'é', '😀') }),
    ),
    { nil: null },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(words), async (all) => {
      await database.query('TRUNCATE copied');
      const rows = all.map((words, n) => ({ n, words: words?.replaceAll('\0', '') ?? null }));
      await copy(rows.map(({ n, words }) => [n, words] as const));
      expect(await copied()).toEqual(rows);
    }),
    { numRuns: 30 },
  );
});

test('other statements of the transaction are pipelined before and after it', async () => {
  await inTransaction(database, async (transaction) => {
    const both = () => pipelined([transaction.query('SELECT 1 AS n'), transaction.query('SELECT 2 AS n')]);
    const answersOf = async () => (await both()).map(({ rows }) => rows[0].n);
    expect(await answersOf()).toEqual([1, 2]);
    await copyRows(transaction, 'copied (n, words)', [[1, 'one']]);
    expect(transaction.pipeline).toBe(true);
    expect(await answersOf()).toEqual([1, 2]);
  });
  expect(await copied()).toEqual([{ n: 1, words: 'one' }]);
});

test('many rows, and none', async () => {
  await copy([]);
  expect(await copied()).toEqual([]);
  await copy(Array.from({ length: 50_000 }, (_, n) => [n, 'x'.repeat(n % 100)] as const));
  const { rows } = await database.query('SELECT count(*), sum(length(words)) AS length FROM copied');
  expect(rows).toEqual([{ count: 50_000, length: 50_000 * 49.5 }]);
});

test('a row that Postgres refuses, or rows that end in an error, leave nothing, and the connection works on', async () => {
  await expect(copy([[1, 'a'] as const, ['no number' as unknown as number, 'b']])).rejects.toThrow(
    'invalid input syntax',
  );
  await expect(
    copy(
      (function* (): Generator<Row> {
        yield [1, 'a'];
        throw new Error('no more rows');
      })(),
    ),
  ).rejects.toThrow('no more rows');
  expect(await copied()).toEqual([]);
  await copy([[2, 'c']]);
  expect(await copied()).toEqual([{ n: 2, words: 'c' }]);
});
