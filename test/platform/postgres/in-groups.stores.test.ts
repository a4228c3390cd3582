import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDatabasePool, type Queryable } from '../../../src/platform/postgres/database.ts';
import { inGroups, lookUpInGroups } from '../../../src/platform/postgres/in-groups.ts';
import { Secret } from '../../../src/platform/secret.ts';
import { collectLog } from '../../support/collect-log.ts';
import { startFaultProxy } from '../../support/fault-proxy.ts';
import { PROPERTY_RUNS } from '../../support/property-runs.ts';
import { createTestDatabase } from '../../support/test-database.ts';

const { database, url } = await createTestDatabase();

/** One over each number. Postgres refuses to divide by zero, and to read text that is no number. */
const INVERSE = 'SELECT (1 / given::numeric)::float8 AS inverse FROM unnest($1::text[]) AS asked (given)';
const invert = async (queryable: Queryable, given: readonly string[]) => {
  const { rows } = await queryable.query<{ inverse: number }>(INVERSE, [given]);
  return rows.map(({ inverse }) => inverse);
};
const codeOf = (error: { code?: string }) => error.code;

test('whoever calls gets what a statement of its own would give, however the others fail', async () => {
  const alone = (given: string) => invert(database, [given]).then(([inverse]) => inverse, codeOf);
  const wanted = new Map<string, unknown>();
  for (const given of ['1', '2', '4', '0', 'x']) wanted.set(given, await alone(given));
  expect([...wanted.values()]).toEqual([1, 0.5, 0.25, '22012', '22P02']);

  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...wanted.keys())), async (given) => {
      const inverseOf = inGroups(database, (group: readonly string[]) => invert(database, group));
      const results = await Promise.all(given.map((one) => inverseOf(one).catch(codeOf)));
      expect(results).toEqual(given.map((one) => wanted.get(one)));
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test('a call that comes alone is a group, and those that come meanwhile are the next one, each asked once', async () => {
  const groups: (readonly string[])[] = [];
  const inverseOf = lookUpInGroups(
    database,
    (given: string) => given,
    (queryable, group) => {
      groups.push(group);
      return invert(queryable, group);
    },
  );
  const alone = inverseOf('2');
  await expect.poll(() => groups).toEqual([['2']]);
  expect(await Promise.all(['4', '5', '4'].map(inverseOf))).toEqual([0.25, 0.2, 0.25]);
  expect(await alone).toBe(0.5);
  expect(groups).toEqual([['2'], ['4', '5']]);
  expect(await inverseOf('8')).toBe(0.125);
  expect(groups.at(-1)).toEqual(['8']);
});

test('while Postgres hangs, nobody waits for two statements, and then all goes on', async () => {
  const address = new URL(url.reveal());
  await using proxy = await startFaultProxy({ port: Number(address.port), protocol: 'postgres' });
  address.port = String(proxy.port);
  const pool = createDatabasePool(new Secret(address.href), 2, collectLog());
  try {
    const inverseOf = inGroups(pool, (group: readonly string[]) => invert(pool, group));
    expect(await inverseOf('2')).toBe(0.5);
    proxy.mode = 'hang';
    const first = inverseOf('2').catch(() => 'failed');
    const behind = Array.from({ length: 50 }, () => inverseOf('2').catch((error: Error) => error.name));
    expect(await first).toBe('failed');
    // Callers that wait longer fail like the statement of their own group.
    expect(await Promise.all(behind)).toEqual(Array(50).fill('DeadlinePassed'));
    proxy.mode = 'pass';
    proxy.cutAll();
    await expect.poll(() => inverseOf('4').catch(() => undefined)).toBe(0.25);
  } finally {
    await pool.end();
  }
});
