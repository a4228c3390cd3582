import { expect, test } from 'vitest';
import { deleteDomainRow } from '../../src/features/domains/domain-store.ts';
import { switchSubmission } from '../../src/features/submission/switch-submission.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { createSubmissionFixture } from './submission-fixture.ts';

const { database, addDomain, change, hosts, openOutbox, comparisonOf } = await createSubmissionFixture();

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
