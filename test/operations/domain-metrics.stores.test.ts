import { expect, test } from 'vitest';
import { countDomains, findOverdueChecks } from '../../src/features/domains/check-store.ts';
import { createDomainMetrics } from '../../src/operations/queue-metrics.ts';
import { createMetrics } from '../../src/operations/registry.ts';
import { addAccount, addDomain, addVerifiedDomain } from '../support/accounts.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase();

test('domains are counted by status, with the longest overdue check of each kind', async () => {
  const account = await addAccount(database);
  for (let n = 0; n < 3; n++) await addDomain(database, account);
  const { id } = await addVerifiedDomain(database, account);
  await database.query("UPDATE domains SET check_at = now() - interval '2 hours' WHERE id = $1", [id]);
  const metrics = createMetrics();
  const checked = createDomainMetrics(
    metrics,
    () => countDomains(database),
    () => findOverdueChecks(database),
  );
  checked('wrong');
  const text = await metrics.metrics();
  expect(text).toContain('waypost_domains{status="pending_verification"} 3');
  expect(text).toContain('waypost_domains{status="verified"} 1');
  expect(text).toContain('waypost_domains{status="failed"} 0');
  expect(text).toMatch(/waypost_domain_checks_overdue_seconds{kind="steady"} 72\d\d/);
  expect(text).toContain('waypost_domain_checks_overdue_seconds{kind="doubted"} 0');
  expect(text).toContain('waypost_domain_checks_total{verdict="wrong"} 1');
});

test('before anything is known, the other metrics are still read, and nothing is NaN', async () => {
  const metrics = createMetrics();
  const down = () => Promise.reject(new Error('the database is down'));
  createDomainMetrics(metrics, async () => undefined, down)('right');
  const text = await metrics.metrics();
  expect(text).toContain('waypost_domain_checks_total{verdict="right"} 1');
  expect(text).not.toMatch(/waypost_domains{|overdue_seconds{|NaN/i);
});
