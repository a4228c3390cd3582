/** The order of hosts: accounts take turns, each host has one process, and none is taken before its time. */
import { expect, test } from 'vitest';
import { setSuspended } from '../../src/features/accounts/account-store.ts';
import { takeHosts } from '../../src/features/submission/host-store.ts';
import { switchSubmission } from '../../src/features/submission/switch-submission.ts';
import { countWaiting, listWaitingHosts } from '../../src/features/submission/waiting-store.ts';
import { createSubmissionFixture } from './submission-fixture.ts';

const world = await createSubmissionFixture();
const { database } = world;

/** A domain with changed URLs on so many hosts. */
async function waiting(hosts: number, accountId?: string) {
  const domain = await world.addDomain(accountId);
  await world.change(domain, ...Array.from({ length: hosts }, (_, n) => `https://h${n}.example.com/`));
  return domain;
}

test('an account with many hosts does not hold up another one, and has few at once', async () => {
  const many = await waiting(50);
  const few = await waiting(1);
  const taken = await takeHosts(database, 2);
  expect(taken.map(({ accountId }) => accountId).sort()).toEqual([many.accountId, few.accountId].sort());
  const more = await takeHosts(database, 100);
  expect(more.map(({ accountId }) => accountId)).toEqual([many.accountId, many.accountId]);
  expect(await takeHosts(database, 100)).toEqual([]);
});

test('processes that take at once get different hosts', async () => {
  for (let n = 0; n < 8; n++) await waiting(2);
  const taken = (await Promise.all(Array.from({ length: 8 }, () => takeHosts(database, 4)))).flat();
  const names = taken.map(({ domainId, host }) => `${domainId} ${host}`);
  expect(new Set(names).size).toBe(names.length);
  const rest = await takeHosts(database, 100);
  expect(names.length + rest.length).toBe(16);
});

test('leases of a clock that was ahead keep no host of their account from its turn', async () => {
  const { accountId } = await waiting(4);
  expect(await takeHosts(database, 100)).toHaveLength(3);
  await database.query(
    `UPDATE indexnow_hosts SET leased_until = leased_until + interval '1 year' WHERE account_id = $1`,
    [accountId],
  );
  expect(await takeHosts(database, 100)).toHaveLength(3);
});

test('hosts of a suspended account wait until it is resumed', async () => {
  const { accountId } = await waiting(1);
  await setSuspended(database, accountId, true);
  expect(await takeHosts(database, 10)).toEqual([]);
  expect(await countWaiting(database)).toMatchObject({ batches: 1, overdueSeconds: 0 });
  await setSuspended(database, accountId, false);
  expect(await takeHosts(database, 10)).toHaveLength(1);
});

test('hosts of a domain that is switched off are not taken', async () => {
  const domain = await waiting(1);
  await switchSubmission({ database, isConfigured: true }, domain, false);
  expect(await takeHosts(database, 10)).toEqual([]);
});

test('what waits is counted and listed for operators', async () => {
  const domain = await waiting(2);
  await world.pass(domain, 1);
  const counts = await countWaiting(database);
  expect(counts).toMatchObject({ batches: 2, urls: 2, unverifiedHosts: 2 });
  expect(Math.round(counts.overdueSeconds / 60)).toBe(60);
  expect(await listWaitingHosts(database, undefined, 1)).toMatchObject([
    {
      hostname: domain.hostname,
      host: 'h0.example.com',
      isVerified: false,
      batches: 1,
      urls: 1,
      failures: 0,
    },
  ]);
  expect(await listWaitingHosts(database, 'domain_of_nobody', 10)).toEqual([]);
});
