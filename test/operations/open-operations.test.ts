import { expect, test } from 'vitest';
import { readConfig } from '../../src/core/config/config.ts';
import { openOperations } from '../../src/operations/open-operations.ts';
import type { Database } from '../../src/platform/postgres/database.ts';
import { collectLog } from '../support/collect-log.ts';

test('processes probe the store by objects of their own: some stores take one put of a key in a second', async () => {
  const config = readConfig({ METRICS_PORT: '0' });
  const database = { query: () => Promise.reject(new Error('none')) } as unknown as Database;
  const put: string[] = [];
  const storage = { head: async () => undefined, put: async (key: string) => void put.push(key) };
  await using scope = new AsyncDisposableStack();
  for (let n = 0; n < 20; n++) {
    const log = collectLog();
    const isOpen = await openOperations({ config, log, scope, storage, database }, async () => '');
    isOpen();
    const { details } = log.lines.find(({ message }) => message === 'metrics listening')!;
    const { port } = details as { port: number };
    for (let probe = 0; probe < 2; probe++) await (await fetch(`http://127.0.0.1:${port}/readyz`)).text();
    expect(put.at(-1)).toBe(put.at(-2));
  }
  expect(put).toHaveLength(40);
  expect(new Set(put).size).toBeGreaterThan(1);
});
