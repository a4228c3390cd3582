import { beforeEach, expect, test, vi } from 'vitest';
import { startWorkingOff } from '../../src/core/jobs/start-working-off.ts';
import { recordChanges } from '../../src/features/sites/change-site.ts';
import { createChangedSiteQueue, openSites } from '../../src/features/sites/open-sites.ts';
import {
  isSiteChanging,
  listOverdueWrites,
  takeDueWrites,
} from '../../src/features/sites/site-change-store.ts';
import { writeSite } from '../../src/features/sites/write-site.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { collectLog } from '../support/collect-log.ts';
import { SOON } from '../support/soon.ts';
import { createUploadFixture, DAY_MS } from '../uploads/upload-fixture.ts';

const { database, storage } = await createUploadFixture();
const account = await addAccount(database);
const options = { database, storage, publicOrigin: 'https://{hostname}', keepReplacedMs: DAY_MS };

beforeEach(async () => {
  await database.query('DELETE FROM site_changes');
});

/** Changes domains, as a process does that dies before it writes their sites. */
async function change(count: number): Promise<string[]> {
  const domains = await Promise.all(
    Array.from({ length: count }, () => addVerifiedDomain(database, account)),
  );
  await inTransaction(database, (transaction) => recordChanges(transaction, domains));
  return domains.map(({ hostname }) => hostname);
}

/** Moves the times back, as if so many seconds had passed. */
const pass = (seconds: number) =>
  database.query(
    `UPDATE site_changes SET due_at = due_at - $1 * interval '1 second', changed_at = changed_at - $1 * interval '1 second'`,
    [seconds],
  );
const take = async (limit = 10) => (await takeDueWrites(database, limit)).map(({ hostname }) => hostname);

test('a change is due after ten seconds, and again later and later, a minute at most', async () => {
  const [hostname] = await change(1);
  await pass(9);
  expect(await take()).toEqual([]);
  await pass(2);
  expect(await take()).toEqual([hostname]);
  expect(await take()).toEqual([]);
  await pass(12);
  expect(await take()).toEqual([hostname]);
  await pass(12);
  expect(await take()).toEqual([]);
  await pass(1000);
  expect(await take()).toEqual([hostname]);
  await pass(59);
  expect(await take()).toEqual([]);
  await pass(2);
  expect(await take()).toEqual([hostname]);
});

test('a newer change of a site that cannot be written is due after ten seconds too', async () => {
  const domain = await addVerifiedDomain(database, account);
  const record = () => inTransaction(database, (transaction) => recordChanges(transaction, [domain]));
  await record();
  await pass(1000);
  await take();
  await record();
  await pass(11);
  expect(await take()).toEqual([domain.hostname]);
});

test('several processes take each change once, the longest due first, and wait for no publisher', async () => {
  const hostnames = await change(20);
  await pass(11);
  const [held] = await change(1);
  await database.query("UPDATE site_changes SET due_at = now() - interval '1 hour' WHERE hostname = $1", [
    held,
  ]);
  await inTransaction(database, async (transaction) => {
    await transaction.query('SELECT FROM site_changes WHERE hostname = $1 FOR UPDATE', [held]);
    const taken = await Promise.all(Array.from({ length: 4 }, () => take(5)));
    expect(taken.flat().sort()).toEqual(hostnames.sort());
  });
  expect(await take()).toEqual([held]);
});

test('sites are written after their process died, and one that always fails holds up none', async () => {
  const failing = (await change(1))[0]!;
  await pass(30);
  const hostnames = await change(30);
  await pass(11);
  const tried: string[] = [];
  const log = collectLog();
  const queue = createChangedSiteQueue(database, async (hostname, changedAt) => {
    tried.push(hostname);
    expect(changedAt.getTime()).toBeLessThan(Date.now() - 10_000);
    if (hostname === failing) throw new Error('no');
    await writeSite(options, hostname);
  });
  const sweep = startWorkingOff({ ...queue, atOnce: 4 }, { log });
  await vi.waitFor(async () => {
    const { rows } = await database.query('SELECT hostname FROM site_changes');
    expect(rows).toEqual([{ hostname: failing }]);
  }, SOON);
  await sweep.stop();
  expect(tried.toSorted()).toEqual([failing, ...hostnames].sort());
});

test('a change is under way for a minute, and overdue from then on', async () => {
  const [hostname] = await change(1);
  expect(await isSiteChanging(database, hostname!)).toBe(true);
  expect(await isSiteChanging(database, 'other.example')).toBe(false);
  expect(await listOverdueWrites(database, 5)).toEqual([]);
  await pass(61);
  expect(await isSiteChanging(database, hostname!)).toBe(false);
  expect(await listOverdueWrites(database, 5)).toEqual([hostname]);
});

test('a delay is never negative, even if the clock of the database is ahead: a histogram that falls looks like a new process', async () => {
  const [hostname] = await change(1);
  const delays: number[] = [];
  const onWritten = (seconds: number) => void delays.push(seconds);
  await openSites({ ...options, log: collectLog(), places: 1, onWritten }).write(
    hostname!,
    new Date(Date.now() + 60_000),
  );
  expect(delays).toEqual([0]);
});
