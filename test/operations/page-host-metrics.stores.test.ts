import { expect, test } from 'vitest';
import { countPageHosts } from '../../src/features/page-hosts/page-host-store.ts';
import { createPageHostMetrics } from '../../src/operations/queue-metrics.ts';
import { createMetrics } from '../../src/operations/registry.ts';
import { addAccount, addDomain } from '../support/accounts.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase();

test('page hosts are counted by state, and checks by outcome', async () => {
  const account = await addAccount(database);
  const { id } = await addDomain(database, account);
  await database.query(
    `INSERT INTO page_hosts (domain_id, origin, account_id, state)
     SELECT $1, 'https://' || state || n, $2, state FROM unnest(ARRAY['missing', 'found']) AS state, generate_series(1, 3) AS n
      WHERE state = 'found' OR n < 3`,
    [id, account],
  );
  const metrics = createMetrics();
  const checked = createPageHostMetrics(metrics, () => countPageHosts(database));
  checked('missing');
  const text = await metrics.metrics();
  expect(text).toContain('waypost_page_hosts{state="found"} 3');
  expect(text).toContain('waypost_page_hosts{state="missing"} 2');
  expect(text).toContain('waypost_page_hosts{state="unreachable"} 0');
  expect(text).toContain('waypost_page_host_checks_total{outcome="missing"} 1');
});

test('before anything is counted, the other metrics are still read', async () => {
  const metrics = createMetrics();
  createPageHostMetrics(metrics, async () => undefined)('found');
  const text = await metrics.metrics();
  expect(text).toContain('waypost_page_host_checks_total{outcome="found"} 1');
  expect(text).not.toContain('waypost_page_hosts{');
});
