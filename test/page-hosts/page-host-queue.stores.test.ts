import { expect, test, vi } from 'vitest';
import { startWorkingOff } from '../../src/core/jobs/start-working-off.ts';
import { createPageHostQueue } from '../../src/features/page-hosts/page-host-queue.ts';
import { addAccount } from '../support/accounts.ts';
import { collectLog } from '../support/collect-log.ts';
import { SOON } from '../support/soon.ts';
import { createPageHostFixture, indexLine } from './page-host-fixture.ts';

const { database, domainWith, hosts, list, process } = await createPageHostFixture();

test('hosts that hang delay no other account, and no more than a share of their own', async () => {
  const [hostile, honest] = [await addAccount(database), await addAccount(database)];
  const hanging = Array.from({ length: 300 }, (_, n) => hosts.origin(n));
  for (const origin of hanging) hosts.robots.set(origin, () => {});
  for (let n = 0; n < 3; n++) {
    const counts = hanging.slice(n * 100, n * 100 + 100).map((origin) => [origin, 1]);
    await domainWith(hostile, Object.fromEntries(counts));
  }
  const log = collectLog();
  const checking = startWorkingOff(createPageHostQueue(process()), { log });
  await vi.waitFor(() => expect(hosts.asked.length).toBeGreaterThanOrEqual(50), SOON);

  const healthy = hosts.origin(1000);
  const domain = await domainWith(honest, { [healthy]: 1 });
  hosts.robots.set(healthy, indexLine(domain));
  await vi.waitFor(async () => expect(await list(domain)).toMatchObject([{ state: 'found' }]), SOON);
  const asked = new Set(hosts.asked.filter((origin) => origin !== healthy));
  expect(asked.size).toBeLessThanOrEqual(100);
  expect((await database.query('SELECT FROM page_hosts WHERE state = $1', ['unreachable'])).rowCount).toBe(0);
  // The queue stops without an answer from these hosts.
  await checking.stop();
  expect(log.lines).toEqual([]);
});
