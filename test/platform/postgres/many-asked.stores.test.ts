import { expect, test } from 'vitest';
import { findCallers } from '../../../src/features/accounts/key-store.ts';
import { addToCounts } from '../../../src/features/accounts/rate-limit-store.ts';
import { findSessions } from '../../../src/features/accounts/session-store.ts';
import { findDomainsByHostname } from '../../../src/features/domains/domain-store.ts';
import type { Queryable } from '../../../src/platform/postgres/database.ts';
import { createTestDatabase } from '../../support/test-database.ts';

const { database } = await createTestDatabase();

/** Postgres makes as many plans for the first executions, whatever they cost. */
const FIRST_PLANS = 5;

type Ask = (queryable: Queryable, asked: readonly string[]) => Promise<unknown>;

test.each<[name: string, ask: Ask]>([
  ['find-callers', findCallers],
  ['find-sessions', findSessions],
  [
    'find-domains-by-hostname',
    (queryable, asked) =>
      findDomainsByHostname(
        queryable,
        asked.map((hostname) => ({ accountId: 'account_1', hostname })),
      ),
  ],
  [
    'add-to-counts',
    (queryable, asked) =>
      addToCounts(
        queryable,
        asked,
        asked.map(() => 1),
        60_000,
      ),
  ],
])('%s is planned for any number of them, and not each time', async (name, ask) => {
  const client = await database.connect();
  try {
    for (let n = 0; n < 30; n++) {
      await ask(
        client,
        Array.from({ length: n < 20 ? 1 : n }, (_, i) => `asked${i}`),
      );
    }
    const { rows } = await client.query<{ custom: number }>(
      'SELECT custom_plans AS custom FROM pg_prepared_statements WHERE name = $1',
      [name],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]!.custom).toBeLessThanOrEqual(FIRST_PLANS);
  } finally {
    client.release();
  }
});
