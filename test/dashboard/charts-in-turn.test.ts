import { expect, test, vi } from 'vitest';
import type { Queryable } from '../../src/platform/postgres/database.ts';
import { SOON } from '../support/soon.ts';
import { startCharts } from './start-charts.ts';

/** The accounts whose statements have begun, in this order. Each waits for `end`. */
const begun: unknown[] = [];
const ends: (() => void)[] = [];
const database = {
  query({ values }: { values: unknown[] }) {
    begun.push(values[0]);
    const { promise, resolve } = Promise.withResolvers<object>();
    ends.push(() => resolve({ rows: [] }));
    return promise;
  },
} as unknown as Queryable;
const { get } = await startCharts(database);

test('charts hold two connections to Postgres, and accounts take turns', async () => {
  const asked: Promise<{ status: number }>[] = [];
  const ask = (account: string, path: string) => asked.push(get(account, path));
  ask('busy', 'crawls-per-day?days=400');
  ask('busy', 'uploads-per-day');
  await vi.waitFor(() => expect(begun).toHaveLength(2), SOON);
  for (let n = 0; n < 6; n++) ask('busy', 'crawls-per-day');
  ask('other', 'crawls-per-day');
  const answered = Promise.all(asked);
  for (let done = 0; done < asked.length; done++) {
    await vi.waitFor(() => expect(ends.length).toBeGreaterThan(done), SOON);
    expect(ends.length - done).toBeLessThanOrEqual(2);
    ends[done]!();
  }
  expect((await answered).map(({ status }) => status)).toEqual(asked.map(() => 200));
  expect(begun.filter((account) => account === 'other')).toHaveLength(1);
});
