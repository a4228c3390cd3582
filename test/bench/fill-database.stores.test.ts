import { expect, test } from 'vitest';
import { fillDatabase } from '../../tools/filled/fill-database.ts';
import { dumpSchema } from '../schema/schema-dump.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database, url } = await createTestDatabase();

test('the rows fit the schema, and it is the same afterwards', async () => {
  const before = await dumpSchema(database);
  await fillDatabase(url.reveal(), { domains: 5_000, generations: 2 });
  const { rows } = await database.query(
    'SELECT (SELECT count(*) FROM domains) AS domains, (SELECT count(*) FROM uploads) AS uploads',
  );
  expect(rows).toEqual([{ domains: 5_000, uploads: 9_850 }]);
  expect(await dumpSchema(database)).toBe(before);
});
