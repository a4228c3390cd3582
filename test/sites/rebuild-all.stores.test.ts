/** Rebuilds of all sites by jobs: portions, deaths in the middle, and sites that fail. */
import { beforeEach, expect, test } from 'vitest';
import { askRebuild, workOnRebuild } from '../../src/features/sites/rebuild-all.ts';
import type { Rebuilding } from '../../src/features/sites/rebuild-site.ts';
import { findRebuild, listRebuilds } from '../../src/features/sites/rebuild-store.ts';
import { newId } from '../../src/platform/ids.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { collectLog } from '../support/collect-log.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase();
const SITES = 7;
const hostnames: string[] = [];
const account = await addAccount(database);
for (let n = 0; n < SITES; n++) hostnames.push((await addVerifiedDomain(database, account)).hostname);
hostnames.sort();
const ask = () => askRebuild({ database, newId }, 'operator token ci');

beforeEach(async () => {
  await database.query('DELETE FROM rebuilds');
  await database.query('SELECT graphile_worker.complete_jobs(ARRAY(SELECT id FROM graphile_worker.jobs))');
});

function work(id: string, rebuild: (hostname: string) => Promise<Rebuilding>) {
  return workOnRebuild({ database, log: collectLog(), rebuild, portion: 3 }, id);
}

/** The jobs that wait, by their keys. */
async function waitingJobs(): Promise<string[]> {
  const { rows } = await database.query<{ key: string }>(
    "SELECT key FROM graphile_worker.jobs WHERE task_identifier = 'sites.rebuild'",
  );
  return rows.map(({ key }) => key);
}

test('each site is written once, portion by portion, and the last portion ends it', async () => {
  const { id, sites } = await ask();
  expect({ sites, jobs: await waitingJobs() }).toEqual({ sites: SITES, jobs: [`sites.rebuild ${id}`] });
  const rebuilt: string[] = [];
  const rebuild = async (hostname: string): Promise<Rebuilding> => {
    rebuilt.push(hostname);
    return hostname === hostnames[4] ? 'removed' : 'written';
  };
  for (const done of [3, 6]) {
    await work(id, rebuild);
    expect(await findRebuild(database, id)).toMatchObject({ after: hostnames[done - 1], endedAt: null });
    expect(await waitingJobs()).toHaveLength(1);
  }
  await work(id, rebuild);
  expect(rebuilt.sort()).toEqual(hostnames);
  expect(await findRebuild(database, id)).toMatchObject({
    ...{ written: SITES - 1, removed: 1, failed: 0, failures: [], endedAt: expect.any(Date) },
  });
  // A job may run again, after it has ended too.
  await work(id, () => Promise.reject(new Error('nothing is left')));
});

test('a portion whose process died, or that two processes do, counts once', async () => {
  const { id } = await ask();
  let calls = 0;
  const bothBegan = Promise.withResolvers<void>();
  const rebuild = async (): Promise<Rebuilding> => {
    // Each of them writes two sites at once.
    if (++calls === 4) bothBegan.resolve();
    await bothBegan.promise;
    return 'written';
  };
  await Promise.all([work(id, rebuild), work(id, rebuild)]);
  expect(calls).toBe(6);
  expect(await findRebuild(database, id)).toMatchObject({ written: 3, after: hostnames[2] });
});

test('a site that fails is named, and the others go on', async () => {
  const { id } = await ask();
  const rebuild = async (hostname: string): Promise<Rebuilding> => {
    if (hostname === hostnames[1]) throw new Error('an object is damaged');
    return 'written';
  };
  for (let n = 0; n < 3; n++) await work(id, rebuild);
  expect(await findRebuild(database, id)).toMatchObject({
    ...{ written: SITES - 1, failed: 1, endedAt: expect.any(Date) },
    failures: [{ hostname: hostnames[1], reason: 'an object is damaged' }],
  });
});

test('while no site can be written, nothing is skipped', async () => {
  const { id } = await ask();
  await expect(work(id, () => Promise.reject(new Error('the store is away')))).rejects.toThrow(
    'the store is away',
  );
  expect(await findRebuild(database, id)).toMatchObject({ after: '', failed: 0, endedAt: null });
});

test('one is under way at a time, and the newest hundred are kept', async () => {
  await ask();
  await expect(ask()).rejects.toMatchObject({ code: 'CONFLICT' });
  for (let n = 0; n < 101; n++) {
    await database.query('UPDATE rebuilds SET ended_at = now()');
    await ask();
  }
  expect(await listRebuilds(database, 200)).toHaveLength(100);
  const [first] = await listRebuilds(database, 1);
  expect((await listRebuilds(database, 1, first!.position))[0]!.position).toBeLessThan(first!.position);
});

test('a rebuild whose job was given up ends when another one is asked for, and no other does', async () => {
  const { id } = await ask();
  await expect(ask()).rejects.toMatchObject({ code: 'CONFLICT' });
  const setJob = (columns: string) =>
    database.query(`UPDATE graphile_worker._private_jobs SET ${columns} WHERE key = $1`, [
      `sites.rebuild ${id}`,
    ]);
  await setJob("attempts = max_attempts, locked_at = now(), locked_by = 'a process'");
  await expect(ask()).rejects.toMatchObject({ code: 'CONFLICT' });
  await setJob('locked_at = NULL, locked_by = NULL');
  const next = await ask();
  expect(await listRebuilds(database, 10)).toMatchObject([
    { id: next.id, endedAt: null },
    { id, endedAt: expect.any(Date) },
  ]);
});
