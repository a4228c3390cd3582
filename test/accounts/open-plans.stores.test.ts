/** Plans as rows over the setting, and how a process learns of them. */
import { expect, test } from 'vitest';
import { type LivePlans, openPlans } from '../../src/features/accounts/open-plans.ts';
import { parseLimits } from '../../src/features/accounts/parse-account.ts';
import { readPlans } from '../../src/features/accounts/plans.ts';
import { collectLog } from '../support/collect-log.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase();
const TOKEN = { token: 'ci', address: null };
const defaults = readPlans('{"free":{"domains":3},"pro":{"domains":30}}');

async function withProcesses(work: (one: LivePlans, other: LivePlans) => Promise<void>): Promise<void> {
  const log = collectLog();
  const open = () => openPlans({ database, log, defaults, everyMs: 50 });
  const [one, other] = [await open(), await open()];
  try {
    await work(one, other);
  } finally {
    await Promise.all([one.stop(), other.stop()]);
  }
  expect(log.lines).toEqual([]);
}

test('rows win over the setting, in all processes, until they are taken back', () =>
  withProcesses(async (one, other) => {
    // Rooms keep the object.
    const { plans } = other;
    expect(plans).toEqual(defaults);
    const shown = await one.put(TOKEN, 'free', { domains: 5 });
    expect(shown).toMatchObject({ name: 'free', set: { domains: 5 }, changedBy: 'operator token ci' });
    expect(one.plans.free).toEqual({ ...defaults.free, domains: 5 });
    await expect.poll(() => plans.free.domains).toBe(5);
    expect(plans.pro).toEqual(defaults.pro);
    // A limit that is not given again is as in the setting.
    await one.put(TOKEN, 'free', { urlsPerUpload: 7 });
    await expect.poll(() => plans.free).toEqual({ ...defaults.free, urlsPerUpload: 7 });
    await one.reset('free');
    await expect.poll(() => plans.free).toEqual(defaults.free);
    expect((await one.list()).map(({ name, limits }) => [name, limits])).toEqual(Object.entries(defaults));
  }));

test('a process that cannot read them goes on with the last ones, and says so', async () => {
  const { database: own } = await createTestDatabase();
  const log = collectLog();
  const live = await openPlans({ database: own, log, defaults, everyMs: 50 });
  await live.put(TOKEN, 'free', { domains: 6 });
  await own.query('ALTER TABLE plans RENAME TO gone');
  await expect.poll(() => log.lines.length).toBeGreaterThan(0);
  expect(live.plans.free.domains).toBe(6);
  await live.stop();
  // A process that begins meanwhile has the limits of the setting.
  const late = await openPlans({ database: own, log, defaults });
  expect(late.plans).toEqual(defaults);
  await late.stop();
});

test.each([
  [{ domains: 0 }, 'domains'],
  [{ domains: 1.5 }, 'domains'],
  [{ domains: '5' }, 'domains'],
  [{ urls: 5 }, 'urls'],
])('limits %j are refused as in the setting', (given, field) => {
  expect(() => parseLimits(new Map(Object.entries(given)))).toThrow(field);
  expect(() => readPlans(JSON.stringify({ free: given }))).toThrow('PLANS');
});
