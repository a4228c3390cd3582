import { expect, test } from 'vitest';
import { deleteInPortions } from '../../../src/platform/postgres/delete-in-portions.ts';
import { createTestDatabase } from '../../support/test-database.ts';

const { database } = await createTestDatabase();

test('it deletes portions until one is not full', async () => {
  await database.query('CREATE TABLE numbers AS SELECT n FROM generate_series(1, 25) AS n');
  const deleted: (number | null)[] = [];
  const counting = {
    query: async (statement: { text: string; values: unknown[] }) => {
      const result = await database.query(statement);
      deleted.push(result.rowCount);
      return result;
    },
  } as unknown as typeof database;
  const text = 'DELETE FROM numbers WHERE n IN (SELECT n FROM numbers WHERE n > $1 ORDER BY n LIMIT $2)';
  await deleteInPortions(counting, text, [5], 10);
  expect(deleted).toEqual([10, 10, 0]);
  const { rows } = await database.query('SELECT n FROM numbers ORDER BY n');
  expect(rows.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5]);
});
