import { expect, test } from 'vitest';
import { enqueueRecurringJob } from '../../src/core/jobs/job-store.ts';
import { startRecurringJobs } from '../../src/core/jobs/start-job-runner.ts';
import { collectLog } from '../support/collect-log.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase();
const name = 'domains.recheck';
const everyMs = 60_000;
const works = { [name]: { everyMs, work: async () => {} } };

const waiting = async () =>
  (
    await database.query(
      `SELECT key, extract(epoch FROM run_at - now())::float8 AS "inSeconds", attempts FROM graphile_worker.jobs`,
    )
  ).rows;
const change = (set: string) => database.query(`UPDATE graphile_worker._private_jobs SET ${set}`);

test('it is enqueued once, by any number of processes, by the clock of the database', async () => {
  const started = await Promise.all(
    Array.from({ length: 5 }, () => startRecurringJobs(database, works, collectLog())),
  );
  for (const one of started) await one.stop();
  const [only, ...others] = await waiting();
  expect(others).toEqual([]);
  expect(only).toMatchObject({ key: 'domains.recheck', attempts: 0 });
});

test('one that is missing at a start is due at once: an upgrade may have brought it', async () => {
  await database.query('DELETE FROM graphile_worker._private_jobs');
  await (await startRecurringJobs(database, works, collectLog())).stop();
  expect((await waiting())[0].inSeconds).toBeLessThanOrEqual(0);
});

test('one that has ended is due after its period', async () => {
  await database.query('DELETE FROM graphile_worker._private_jobs');
  await enqueueRecurringJob(database, name, everyMs);
  const { inSeconds } = (await waiting())[0];
  expect(inSeconds).toBeGreaterThan(0);
  expect(inSeconds).toBeLessThanOrEqual(60);
});

test.each([
  ['is due', `run_at = now() - interval '1 hour'`],
  ['is running', `locked_at = now(), locked_by = 'someone'`],
  ['failed, and is tried again later', `attempts = 6, run_at = now() + interval '7 minutes'`],
  ['waits for the end of its period', `run_at = now() + interval '59 seconds'`],
])('one that %s stays as it is', async (_, set) => {
  await database.query('DELETE FROM graphile_worker._private_jobs');
  await enqueueRecurringJob(database, name, everyMs);
  await change(set);
  const before = await database.query('SELECT * FROM graphile_worker._private_jobs');
  await (await startRecurringJobs(database, works, collectLog())).stop();
  expect((await database.query('SELECT * FROM graphile_worker._private_jobs')).rows).toEqual(before.rows);
});

test.each([
  ['a clock years ahead enqueued', `run_at = now() + interval '4 years'`],
  ['failed for hours, as in an outage,', `attempts = 9, run_at = now() + interval '2 hours'`],
])('one that %s is due after its period', async (_, set) => {
  await database.query('DELETE FROM graphile_worker._private_jobs');
  await enqueueRecurringJob(database, name, everyMs);
  await change(set);
  await enqueueRecurringJob(database, name, everyMs);
  const [only, ...others] = await waiting();
  expect(others).toEqual([]);
  expect(only.inSeconds).toBeLessThanOrEqual(60);
});

test('one that was given up begins anew', async () => {
  await database.query('DELETE FROM graphile_worker._private_jobs');
  await enqueueRecurringJob(database, name, everyMs);
  await change('attempts = max_attempts');
  await enqueueRecurringJob(database, name, everyMs);
  const again = (await waiting()).filter(({ key }) => key !== null);
  expect(again).toMatchObject([{ key: 'domains.recheck', attempts: 0 }]);
});

test('a database that fails is logged', async () => {
  const log = collectLog();
  const failing = { query: () => Promise.reject(new Error('gone')) } as unknown as typeof database;
  await (await startRecurringJobs(failing, works, log)).stop();
  expect(log.lines).toMatchObject([{ level: 'warn', message: 'recurring jobs could not be enqueued' }]);
});
