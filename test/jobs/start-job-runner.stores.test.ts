import { expect, onTestFinished, test } from 'vitest';
import type { JobWorks } from '../../src/core/jobs/job.ts';
import { enqueueJob, freeJobs, renewJobs } from '../../src/core/jobs/job-store.ts';
import { startJobRunner } from '../../src/core/jobs/start-job-runner.ts';
import { createDatabasePool, inTransaction } from '../../src/platform/postgres/database.ts';
import { Secret } from '../../src/platform/secret.ts';
import { collectLog } from '../support/collect-log.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import type { Message } from '../support/message-pieces.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database, url } = await createTestDatabase();

const none = { work: async () => {} };
const IDLE: JobWorks = {
  'schema.backfill': none,
  'site.publish': none,
  'comparisons.sweep': none,
  'garbage.collect': none,
  'counts.refresh': none,
  'doctor.examine': none,
  'sites.rebuild': none,
  'held.expire': none,
  'hosts.write': none,
  'domains.recheck': none,
  'domains.pace': none,
  'domains.verify': none,
  'domains.expire': none,
  'crawls.import': none,
  'crawls.expire': none,
  'usage.sum': none,
  'usage.expire': none,
  'events.expire': none,
  'audit.expire': none,
  'attempts.expire': none,
  'claims.expire': none,
  'sessions.expire': none,
  'certificates.replace': none,
  'schedules.replan': none,
  'sitemaps.freshness': none,
  'needs.tell': none,
  'needs.digest': none,
  'uploads.sessions': none,
  'times.mend': none,
  'uploads.loads': none,
  'limits.expire': none,
  'certificate.issue': none,
  'certificates.sweep': none,
  'certificates.prioritize': none,
  'certificates.own': none,
  'certificates.seal': none,
  'connections.seal': none,
};

/** The works of jobs. None of these jobs is recurring. */
type Works = { [Name in keyof JobWorks]?: JobWorks[Name]['work'] };

const jobsOf = (works: Works): Partial<JobWorks> =>
  Object.fromEntries(Object.entries(works).map(([name, work]) => [name, { work }]));

async function work(works: Works) {
  const log = collectLog();
  const runner = await startJobRunner(database, { ...IDLE, ...jobsOf(works) }, log);
  return { runner, log };
}

const waiting = async () =>
  (await database.query('SELECT key, payload FROM graphile_worker._private_jobs ORDER BY id')).rows;

test('a job runs with its payload, and then disappears', async () => {
  const done = Promise.withResolvers<{ hostname: string }>();
  const { runner } = await work({ 'site.publish': async (payload) => done.resolve(payload) });
  onTestFinished(() => runner.stop());
  await enqueueJob(database, 'site.publish', { hostname: 'a.example' }, { key: 'a' });
  expect(await done.promise).toEqual({ hostname: 'a.example' });
  await expect.poll(waiting).toEqual([]);
});

test('a job of a transaction that is rolled back never exists', async () => {
  const attempt = inTransaction(database, async (transaction) => {
    await enqueueJob(transaction, 'site.publish', { hostname: 'b.example' }, { key: 'b' });
    throw new Error('no');
  });
  await expect(attempt).rejects.toThrow('no');
  expect(await waiting()).toEqual([]);
});

test('only the last of several waiting jobs with one key remains', async () => {
  for (const hostname of ['c.example', 'd.example']) {
    await enqueueJob(database, 'site.publish', { hostname }, { key: 'same', delayMs: 3_600_000 });
  }
  expect(await waiting()).toEqual([{ key: 'same', payload: { hostname: 'd.example' } }]);
  await database.query("SELECT graphile_worker.remove_job('same')");
});

test('a failing job is logged and waits for another try', async () => {
  const tried = Promise.withResolvers<void>();
  const { runner, log } = await work({
    'garbage.collect': async () => {
      tried.resolve();
      throw new Error('not today');
    },
  });
  await enqueueJob(database, 'garbage.collect', {}, { key: 'g' });
  await tried.promise;
  await runner.stop();
  const { rows } = await database.query('SELECT attempts, last_error FROM graphile_worker._private_jobs');
  expect(rows).toEqual([{ attempts: 1, last_error: expect.stringContaining('not today') }]);
  const [failure] = log.lines.filter(({ level }) => level === 'error');
  expect(failure?.message).toMatch(/garbage\.collect.*not today/);
  await database.query("SELECT graphile_worker.remove_job('g')");
});

test('stopping waits for the job under way', async () => {
  const begun = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  let hasEnded = false;
  const { runner } = await work({
    'site.publish': async () => {
      begun.resolve();
      await mayEnd.promise;
      hasEnded = true;
    },
  });
  await enqueueJob(database, 'site.publish', { hostname: 'e.example' }, { key: 'e' });
  await begun.promise;
  const stopped = runner.stop();
  mayEnd.resolve();
  await stopped;
  expect(hasEnded).toBe(true);
});

test('the job of a dead owner is freed after its lease, and a running one is kept', async () => {
  await enqueueJob(database, 'garbage.collect', {}, { key: 'dead' });
  await enqueueJob(database, 'site.publish', { hostname: 'f.example' }, { key: 'alive' });
  const lock = (key: string, age: string) =>
    database.query(
      `UPDATE graphile_worker._private_jobs SET locked_by = 'another', locked_at = now() - $2::interval WHERE key = $1`,
      [key, age],
    );
  await lock('dead', '1 minute');
  await lock('alive', '10 seconds');
  const done = Promise.withResolvers<void>();
  const { runner } = await work({ 'garbage.collect': async () => done.resolve() });
  await done.promise;
  await runner.stop();
  expect((await waiting()).map(({ key }) => key)).toEqual(['alive']);
  await database.query('DELETE FROM graphile_worker._private_jobs');
});

test('the job of a process that died while the clock of the database was years ahead runs again', async () => {
  await enqueueJob(database, 'garbage.collect', {}, { key: 'ahead' });
  await database.query(
    `UPDATE graphile_worker._private_jobs SET locked_by = 'another', locked_at = now() + interval '4 years', run_at = now() + interval '4 years'`,
  );
  const done = Promise.withResolvers<void>();
  const { runner } = await work({ 'garbage.collect': async () => done.resolve() });
  onTestFinished(() => runner.stop());
  await done.promise;
});

test('a job whose lease was renewed is not freed', async () => {
  for (const key of ['renewed', 'left']) await enqueueJob(database, 'garbage.collect', {}, { key });
  const { rows } = await database.query<{ id: number }>(
    `UPDATE graphile_worker._private_jobs SET locked_by = 'another', locked_at = now() - interval '1 minute'
      RETURNING id`,
  );
  await renewJobs(database, [String(rows[0]!.id)]);
  await freeJobs(database, 30_000);
  const locked = await database.query(
    'SELECT id FROM graphile_worker._private_jobs WHERE locked_at IS NOT NULL',
  );
  expect(locked.rows).toEqual([{ id: rows[0]!.id }]);
  await database.query('DELETE FROM graphile_worker._private_jobs');
});

test('a job that was enqueued again before its owner died goes, and its successor is done', async () => {
  await enqueueJob(database, 'garbage.collect', {}, { key: 'g' });
  await database.query(
    `UPDATE graphile_worker._private_jobs SET locked_by = 'another', locked_at = now() - interval '1 minute'`,
  );
  await enqueueJob(database, 'garbage.collect', {}, { key: 'g' });
  expect((await waiting()).map(({ key }) => key)).toEqual([null, 'g']);
  let runs = 0;
  const { runner } = await work({
    'garbage.collect': async () => {
      runs += 1;
    },
  });
  await expect.poll(waiting).toEqual([]);
  await runner.stop();
  expect(runs).toBe(1);
});

// The effect of a cut depends on the other work at that moment.
test.each([...Array<'cut'>(20).fill('cut'), 'hang'] as const)(
  'a connection that is %s when a job ends stops neither the work on jobs nor the shutdown',
  async (action) => {
    await using proxy = await startFaultProxy({
      port: Number(new URL(url.reveal()).port),
      protocol: 'postgres',
    });
    const proxied = new URL(url.reveal());
    proxied.port = String(proxy.port);
    const log = collectLog();
    const breaking = createDatabasePool(new Secret(proxied.href), 10, log);
    const done: string[] = [];
    const runner = await startJobRunner(
      breaking,
      {
        ...IDLE,
        'site.publish': { work: async ({ hostname }) => void done.push(hostname) },
      },
      log,
    );
    try {
      const isDelete = ({ sql }: Message) => sql?.startsWith('delete from "graphile_worker"') === true;
      proxy.rule = { at: 'request', n: 1, matching: isDelete, action };
      await enqueueJob(database, 'site.publish', { hostname: 'g.example' }, { key: 'g' });
      await expect.poll(() => proxy.struck).toBeDefined();
      await enqueueJob(database, 'site.publish', { hostname: 'h.example' }, { key: 'h' });
      await expect.poll(() => done).toContain('h.example');
    } finally {
      await runner.stop();
      await breaking.end();
      await database.query('DELETE FROM graphile_worker._private_jobs');
    }
  },
);
