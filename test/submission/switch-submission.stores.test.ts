import { expect, test, vi } from 'vitest';
import { deleteDomainRow } from '../../src/features/domains/domain-store.ts';
import { switchSubmission } from '../../src/features/submission/switch-submission.ts';
import { createDatabasePool, inTransaction } from '../../src/platform/postgres/database.ts';
import { collectLog } from '../support/collect-log.ts';
import { SOON } from '../support/soon.ts';
import { createSubmissionFixture } from './submission-fixture.ts';

const { database, url, addDomain, change, hosts, openOutbox, comparisonOf } = await createSubmissionFixture();

test('without an endpoint, nobody can switch it on, and everybody can switch it off', async () => {
  const domain = await addDomain();
  const unconfigured = { database, isConfigured: false };
  await expect(switchSubmission(unconfigured, domain, true)).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  });
  await switchSubmission(unconfigured, domain, false);
  expect(await openOutbox(comparisonOf(domain))).toBeUndefined();
});

test('hosts keep their keys while it is off', async () => {
  const domain = await addDomain();
  await change(domain, 'https://a.example.com/');
  const before = await hosts(domain);
  for (const isEnabled of [false, false, true, true]) {
    await switchSubmission({ database, isConfigured: true }, domain, isEnabled);
  }
  expect(await hosts(domain)).toEqual([{ ...before[0], queued: 0 }]);
});

test('a domain that was deleted meanwhile is not found', async () => {
  const domain = await addDomain();
  await inTransaction(database, (transaction) => deleteDomainRow(transaction, domain.id));
  const switching = switchSubmission({ database, isConfigured: true }, domain, true);
  await expect(switching).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('it is switched off although the deletion of many waiting batches takes longer than other statements may', async () => {
  const domain = await addDomain();
  await change(domain, 'https://a.example.com/');
  const hasty = createDatabasePool(url, 1, collectLog(), 1000);
  try {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    await inTransaction(database, async (transaction) => {
      await transaction.query('SELECT FROM indexnow_batches FOR UPDATE');
      switchSubmission({ database: hasty, isConfigured: true }, domain, false).then(resolve, reject);
      await vi.waitFor(async () => {
        const { rowCount } = await database.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
              AND strpos(query, 'DELETE FROM indexnow_batches') > 0 AND query_start < now() - interval '1.5 seconds'`,
        );
        expect(rowCount, 'deletions that wait for longer').toBe(1);
      }, SOON);
    });
    await promise;
  } finally {
    await hasty.end();
  }
  expect(await hosts(domain)).toMatchObject([{ queued: 0 }]);
});
