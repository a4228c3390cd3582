/** Schedules over a real database: each due run begins once, whatever happens at the same time. */
import { beforeEach, describe, expect, test } from 'vitest';
import { setSuspended } from '../../../src/features/accounts/account-store.ts';
import { readPlans } from '../../../src/features/accounts/plans.ts';
import type { Domain } from '../../../src/features/domains/domain.ts';
import { deleteDomainRow } from '../../../src/features/domains/domain-store.ts';
import { listNeeds } from '../../../src/features/needs/list-needs.ts';
import { Attempt, type AttemptOutcome } from '../../../src/features/uploads/attempt.ts';
import { insertAttempt } from '../../../src/features/uploads/attempt-store.ts';
import { deleteSitemap } from '../../../src/features/uploads/delete-sitemap.ts';
import { type TakenLoad, takeLoads } from '../../../src/features/uploads/loads/load-store.ts';
import {
  callHook,
  deleteSchedule,
  type GivenSchedule,
  makeHook,
  runScheduleNow,
  setSchedule,
} from '../../../src/features/uploads/schedules/change-schedule.ts';
import { takeDueSchedules } from '../../../src/features/uploads/schedules/due-schedule-store.ts';
import { replanSchedules } from '../../../src/features/uploads/schedules/replan-schedules.ts';
import { runSchedule } from '../../../src/features/uploads/schedules/run-schedule.ts';
import { findSchedule, listRuns } from '../../../src/features/uploads/schedules/schedule-store.ts';
import { newId } from '../../../src/platform/ids.ts';
import { inTransaction } from '../../../src/platform/postgres/database.ts';
import { addAccount, addVerifiedDomain } from '../../support/accounts.ts';
import { collectLog } from '../../support/collect-log.ts';
import { untilStatementWaits } from '../../support/until-statement-waits.ts';
import { createUploadFixture } from '../upload-fixture.ts';

const fixture = await createUploadFixture();
const { database } = fixture;
const options = { database, newId, log: collectLog() };

const LOAD: GivenSchedule = {
  asked: {
    ...{ sources: ['https://www.example.com/sitemap.xml'], form: null, dialect: {}, onMissing: 'fail' },
    ...{ allowHosts: [], connection: null, ifChanged: false, ifGeneration: null, force: false },
  },
  terms: {
    ...{ sizeLimit: 'standard', onInvalid: 'fail', maxRejected: 0, maxRejectedPercent: null },
    ...{ expectedUrlCount: null, placement: null },
  },
};
const HOURLY = { ...LOAD, cron: '0 * * * *', timezone: 'UTC' };

beforeEach(async () => {
  await database.query('UPDATE schedules SET due_at = NULL');
  await database.query('UPDATE loads SET ended_at = now() WHERE ended_at IS NULL');
});

/** Looks at all due schedules until none is due. */
async function look(): Promise<void> {
  for (let taken = await takeDueSchedules(database, 10); taken.length > 0; ) {
    await Promise.all(taken.map((due) => runSchedule(options, due)));
    taken = await takeDueSchedules(database, 10);
  }
}

async function newSchedule(given: GivenSchedule = HOURLY, domain?: Domain, sitemapName = 'products') {
  const accountId = domain?.accountId ?? (await addAccount(database, 'enterprise'));
  const own = domain ?? (await addVerifiedDomain(database, accountId));
  const caller = { ...(await fixture.uploaderOf(accountId)), plan: 'enterprise' } as const;
  const sitemap = { domain: own, sitemapName };
  const key = { domainId: own.id, sitemapName };
  await setSchedule(options, caller, sitemap, given);
  const show = async () => (await findSchedule(database, key))!;
  const { id } = await show();
  return {
    ...{ id, accountId, domain: own, caller, sitemap, show },
    set: (changed: GivenSchedule) => setSchedule(options, caller, sitemap, changed),
    runs: () => listRuns(database, id),
    outcomes: async () => (await listRuns(database, id)).map(({ cause, outcome }) => `${cause} ${outcome}`),
    /** Moves the schedule's time back by so much, by the clock of the database. */
    passed: (interval: string) =>
      database.query(
        `UPDATE schedules SET planned_at = date_trunc('hour', now()) - $2::interval,
                due_at = date_trunc('hour', now()) - $2::interval, fence = fence + 1 WHERE id = $1`,
        [id, interval],
      ),
    /** The quiet time after a call of its hook is over. */
    quiet: () =>
      database.query(
        'UPDATE schedules SET asked_due_at = now(), due_at = CASE WHEN load_id IS NULL THEN now() ELSE due_at END WHERE id = $1',
        [id],
      ),
  };
}

/** Ends the one load under way, like a process of the API. */
async function endLoad(outcome: AttemptOutcome): Promise<TakenLoad> {
  const [load, ...others] = await takeLoads(database, 5);
  expect(others).toEqual([]);
  const attempt = new Attempt(load!.id, { encoding: null, userAgent: null, keyId: null, userId: null });
  attempt.domain = { id: load!.domainId, hostname: load!.hostname };
  attempt.sitemapName = load!.sitemapName;
  await insertAttempt(database, attempt.end(outcome, null)!);
  await database.query('UPDATE loads SET ended_at = now() WHERE id = $1', [load!.id]);
  return load!;
}

test('a run begins at its time, as a load for the account, and its outcome is kept', async () => {
  const schedule = await newSchedule();
  await look();
  expect(await schedule.runs()).toEqual([]);
  await schedule.passed('0 hours');
  await database.query('UPDATE schedules SET spread_ms = 0');
  await look();
  const shown = await schedule.show();
  expect(shown.loadId).toMatch(/^upload_/);
  expect(shown.plannedAt!.getTime()).toBeGreaterThan(shown.now.getTime());
  const load = await endLoad('published');
  expect(load).toMatchObject({ id: shown.loadId, scheduleId: schedule.id, keyId: null, userId: null });
  expect(load.asked).toEqual(LOAD.asked);
  await look();
  expect(await schedule.show()).toMatchObject({ loadId: null, failures: 0, runs: 1 });
  const [run] = await schedule.runs();
  expect(run).toMatchObject({ n: 1, cause: 'time', outcome: 'published', uploadId: load.id });
  expect(run!.plannedAt!.getUTCMinutes()).toBe(0);
});

test('what was missed while everything was down runs once', async () => {
  const schedule = await newSchedule();
  await schedule.passed('50 hours');
  await look();
  await endLoad('unchanged');
  await look();
  expect(await schedule.outcomes()).toEqual(['time unchanged']);
});

test('a clock that is set back runs no time twice', async () => {
  const schedule = await newSchedule();
  // The run of a time that is yet to come by the new clock.
  await schedule.passed('-2 hours');
  await database.query('UPDATE schedules SET due_at = now() WHERE id = $1', [schedule.id]);
  await look();
  expect(await schedule.runs()).toEqual([]);
  const { plannedAt, now } = await schedule.show();
  expect(plannedAt!.getTime()).toBeGreaterThan(now.getTime() + 3_600_000);
});

describe('a clock that was years ahead', () => {
  const ahead = (id: string) =>
    database.query(
      `UPDATE schedules SET planned_at = now() + interval '4 years', due_at = now() + interval '4 years',
              asked_due_at = asked_due_at + interval '4 years' WHERE id = $1`,
      [id],
    );
  const HOUR_MS = 3_600_000;
  beforeEach(() => database.query('DELETE FROM looks'));

  test('delays no time, once it is right again', async () => {
    const schedule = await newSchedule();
    const { plannedAt: right } = await schedule.show();
    await ahead(schedule.id);
    await replanSchedules(database);
    expect((await schedule.show()).plannedAt).toEqual(right);
    await schedule.passed('0 hours');
    await database.query('UPDATE schedules SET spread_ms = 0');
    await look();
    expect(await schedule.outcomes()).toEqual(['time null']);
  });

  test('does not bring back a time whose run has begun', async () => {
    const schedule = await newSchedule();
    await schedule.passed('0 hours');
    await database.query('UPDATE schedules SET spread_ms = 0');
    await look();
    await endLoad('published');
    await look();
    // The clock goes back by some minutes, to before that time.
    await database.query(
      "UPDATE schedule_runs SET planned_at = date_trunc('hour', now()) + interval '1 hour' WHERE schedule_id = $1",
      [schedule.id],
    );
    await ahead(schedule.id);
    await replanSchedules(database);
    const { plannedAt, now } = await schedule.show();
    const hour = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
    expect(plannedAt).toEqual(new Date(hour + 2 * HOUR_MS));
  });

  test('delays no call of a hook, and changes nothing that is right', async () => {
    const schedule = await newSchedule();
    const before = await schedule.show();
    await replanSchedules(database);
    const { now: _before, ...same } = before;
    expect(await schedule.show()).toMatchObject(same);
    await callHook(database, await makeHook(database, schedule.caller, schedule.sitemap));
    await ahead(schedule.id);
    await replanSchedules(database);
    const { askedDueAt, now } = await schedule.show();
    expect(askedDueAt!.getTime() - now.getTime()).toBeLessThanOrEqual(600_000);
  });

  test('loses no end of a load, also of a schedule without times', async () => {
    const schedule = await newSchedule({ ...LOAD, cron: null });
    await runScheduleNow(database, schedule.caller, schedule.sitemap);
    await look();
    await endLoad('published');
    await database.query("UPDATE schedules SET due_at = now() + interval '4 years' WHERE id = $1", [
      schedule.id,
    ]);
    await replanSchedules(database);
    await look();
    expect(await schedule.outcomes()).toEqual(['person published']);
  });

  test('leaves no schedule without its next time, even if it was beyond the times that are known', async () => {
    const schedule = await newSchedule();
    const { plannedAt } = await schedule.show();
    await database.query('UPDATE schedules SET planned_at = NULL, due_at = NULL WHERE id = $1', [
      schedule.id,
    ]);
    await replanSchedules(database);
    expect((await schedule.show()).plannedAt).toEqual(plannedAt);
    // A paused schedule has none.
    await schedule.set({ isEnabled: false });
    await database.query('DELETE FROM looks');
    await replanSchedules(database);
    expect((await schedule.show()).plannedAt).toBeNull();
  });

  test('is noticed by looks that stepped or paused, and only then', async () => {
    const schedule = await newSchedule();
    await replanSchedules(database);
    await database.query('UPDATE looks SET settled_at = now()');
    await ahead(schedule.id);
    await replanSchedules(database);
    expect((await schedule.show()).plannedAt!.getTime()).toBeGreaterThan(Date.now() + 365 * 24 * HOUR_MS);
    // The last look was by the clock that was ahead.
    await database.query(
      "UPDATE looks SET at = at + interval '4 years', settled_at = now() + interval '4 years'",
    );
    await replanSchedules(database);
    expect((await schedule.show()).plannedAt!.getTime()).toBeLessThan(Date.now() + 2 * HOUR_MS);
  });
});

test('two processes that look at once begin one run', async () => {
  const schedules = await Promise.all([newSchedule(), newSchedule(), newSchedule()]);
  for (const one of schedules) await one.passed('3 hours');
  await Promise.all([look(), look(), look()]);
  for (const one of schedules) expect(await one.outcomes()).toEqual(['time null']);
});

test('a process that comes late, after its lease, begins nothing', async () => {
  const schedule = await newSchedule();
  await schedule.passed('3 hours');
  const [late] = await takeDueSchedules(database, 1);
  await database.query('UPDATE schedules SET due_at = now() WHERE id = $1', [schedule.id]);
  await look();
  await runSchedule(options, late!);
  expect(await schedule.outcomes()).toEqual(['time null']);
  expect(await takeLoads(database, 5)).toHaveLength(1);
});

test('a time that comes while its load is under way is skipped, and shown', async () => {
  const schedule = await newSchedule();
  await schedule.passed('3 hours');
  await look();
  await schedule.passed('1 hour');
  await look();
  expect(await schedule.outcomes()).toEqual(['time skipped', 'time null']);
  await endLoad('published');
  await look();
  expect(await schedule.outcomes()).toEqual(['time skipped', 'time published']);
});

test('only the last 20 runs are kept', async () => {
  const schedule = await newSchedule();
  await schedule.passed('3 hours');
  await look();
  for (let i = 0; i < 25; i++) {
    await schedule.passed('1 hour');
    await look();
  }
  const runs = await schedule.runs();
  expect(runs).toHaveLength(20);
  expect(runs.map(({ n }) => n)).toEqual(Array.from({ length: 20 }, (_, i) => 26 - i));
});

describe('a hook', () => {
  test('calls before a run are one run, and calls while it is under way are exactly one more', async () => {
    const schedule = await newSchedule({ ...LOAD, cron: null });
    const token = await makeHook(database, schedule.caller, schedule.sitemap);
    for (let i = 0; i < 3; i++) expect(await callHook(database, token)).toBe(true);
    await look();
    // Events come in bursts.
    expect(await schedule.runs()).toEqual([]);
    const { askedDueAt, now } = await schedule.show();
    expect(askedDueAt!.getTime() - now.getTime()).toBeGreaterThan(50_000);
    await schedule.quiet();
    await look();
    for (let i = 0; i < 3; i++) await callHook(database, token);
    await look();
    expect(await schedule.outcomes()).toEqual(['hook null']);
    await endLoad('published');
    await schedule.quiet();
    await look();
    await endLoad('unchanged');
    await look();
    expect(await schedule.outcomes()).toEqual(['hook unchanged', 'hook published']);
    expect(await schedule.show()).toMatchObject({ askedAt: null, loadId: null });
  });

  test('a flood of calls puts a run off for 10 minutes at most', async () => {
    const schedule = await newSchedule({ ...LOAD, cron: null });
    const token = await makeHook(database, schedule.caller, schedule.sitemap);
    await callHook(database, token);
    await database.query(`UPDATE schedules SET asked_at = now() - interval '10 minutes' WHERE id = $1`, [
      schedule.id,
    ]);
    await callHook(database, token);
    await look();
    expect(await schedule.outcomes()).toEqual(['hook null']);
  });

  test('its token is not stored, a new one ends the old one, and a paused schedule does not run', async () => {
    const schedule = await newSchedule({ ...LOAD, cron: null });
    const first = await makeHook(database, schedule.caller, schedule.sitemap);
    const second = await makeHook(database, schedule.caller, schedule.sitemap);
    await expect(callHook(database, first)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(callHook(database, 'nonsense')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const { rows } = await database.query('SELECT schedules::text AS text FROM schedules WHERE id = $1', [
      schedule.id,
    ]);
    expect(rows[0].text).not.toContain(second);
    await schedule.set({ isEnabled: false });
    expect(await callHook(database, second)).toBe(false);
    expect((await schedule.show()).askedAt).toBeNull();
  });

  test('calls before a pause begin nothing after it, also if they came while a load was under way', async () => {
    const schedule = await newSchedule({ ...LOAD, cron: null });
    const token = await makeHook(database, schedule.caller, schedule.sitemap);
    const pauseAfterCall = async () => {
      await callHook(database, token);
      await schedule.set({ isEnabled: false });
      await schedule.quiet();
      await look();
    };
    await pauseAfterCall();
    expect(await schedule.runs()).toEqual([]);
    expect((await schedule.show()).askedAt).toBeNull();

    await schedule.set({ isEnabled: true });
    await runScheduleNow(database, schedule.caller, schedule.sitemap);
    await look();
    await pauseAfterCall();
    await endLoad('published');
    await look();
    expect(await schedule.outcomes()).toEqual(['person published']);
    expect((await schedule.show()).askedAt).toBeNull();
  });
});

test('a change between the end of a load and the next look loses no end, and the hook goes on', async () => {
  const schedule = await newSchedule({ ...LOAD, cron: null });
  const token = await makeHook(database, schedule.caller, schedule.sitemap);
  await runScheduleNow(database, schedule.caller, schedule.sitemap);
  await look();
  await endLoad('published');
  await schedule.set({ isEnabled: true });
  await look();
  expect(await schedule.outcomes()).toEqual(['person published']);
  await callHook(database, token);
  await schedule.quiet();
  await look();
  expect(await schedule.outcomes()).toEqual(['hook null', 'person published']);
});

test('whoever asks runs it at once, also a paused one', async () => {
  const schedule = await newSchedule({ ...HOURLY, isEnabled: false });
  await runScheduleNow(database, schedule.caller, schedule.sitemap);
  await runScheduleNow(database, schedule.caller, schedule.sitemap);
  await look();
  await endLoad('published');
  await look();
  expect(await schedule.outcomes()).toEqual(['person published']);
});

test('an account has two loads under way; a third waits, and begins when one of them ends', async () => {
  const first = await newSchedule();
  const others = [
    await newSchedule(HOURLY, first.domain, 'second'),
    await newSchedule(HOURLY, first.domain, 'third'),
  ];
  for (const one of [first, ...others]) await one.passed('3 hours');
  await look();
  const under = async () => Promise.all([first, ...others].map(async (one) => (await one.show()).loadId));
  const loads = await under();
  expect(loads.filter((id) => id !== null)).toHaveLength(2);
  const waiting = [first, ...others][loads.indexOf(null)]!;
  expect(await waiting.show()).toMatchObject({ waitsSince: expect.any(Date) });
  await database.query('UPDATE loads SET ended_at = now() WHERE id = $1', [loads.find((id) => id !== null)]);
  await look();
  expect(await waiting.show()).toMatchObject({ loadId: expect.stringMatching(/^upload_/), waitsSince: null });
});

test('an account with very many due schedules delays no other', async () => {
  const many = await newSchedule();
  for (let n = 0; n < 20; n++) {
    const one = await newSchedule(HOURLY, many.domain, `many-${n}`);
    await one.passed('9 hours');
  }
  const other = await newSchedule();
  await other.passed('1 hour');
  const taken = await takeDueSchedules(database, 2);
  expect(taken.map(({ accountId }) => accountId)).toContain(other.accountId);
});

test('the first failure and the first success after it are events, and need people meanwhile', async () => {
  const schedule = await newSchedule();
  await database.query(
    `INSERT INTO webhook_endpoints (id, account_id, url, description) VALUES ($1, $2, 'https://example.com/', '')`,
    [newId('webhook'), schedule.accountId],
  );
  const events = async () => {
    const { rows } = await database.query(
      'SELECT type, data FROM webhook_events WHERE account_id = $1 ORDER BY created_at, id',
      [schedule.accountId],
    );
    return rows.map(({ type, data }) => [type, data.sitemapName, data.failures]);
  };
  const titles = async () =>
    (await listNeeds(database, schedule.accountId, readPlans().enterprise)).needs.map(({ title }) => title);
  const run = async (outcome: AttemptOutcome) => {
    await schedule.passed('1 hour');
    await look();
    const { id } = await endLoad(outcome);
    await look();
    return id;
  };
  await run('refused');
  expect(await titles()).toEqual(["“products” couldn't be loaded"]);
  await run('canceled');
  for (let n = 0; n < 3; n++) await run('refused');
  // The failures are not told again as refused uploads.
  expect(await titles()).toEqual(["“products” couldn't be loaded 4 times in a row"]);
  expect(await events()).toEqual([['load.failed', 'products', undefined]]);
  await run('unchanged');
  await run('published');
  expect(await events()).toEqual([
    ['load.failed', 'products', undefined],
    ['load.recovered', 'products', 4],
  ]);
  // Nothing is published here, so the uploads were refused.
  expect(await titles()).toEqual(['“products” was refused 4 times in a row']);
});

test('a suspended account loads nothing, and goes on at the next time after it', async () => {
  const schedule = await newSchedule();
  await setSuspended(database, schedule.accountId, true);
  await schedule.passed('3 hours');
  await look();
  expect(await schedule.runs()).toEqual([]);
  await setSuspended(database, schedule.accountId, false);
  const { plannedAt, now } = await schedule.show();
  expect(plannedAt!.getTime()).toBeGreaterThan(now.getTime() - 60_000);
});

test('a smaller plan refuses the runs of times that are too close for it', async () => {
  const schedule = await newSchedule();
  await database.query(`UPDATE accounts SET plan = 'free' WHERE id = $1`, [schedule.accountId]);
  await schedule.passed('3 hours');
  await look();
  const [run] = await schedule.runs();
  expect(run).toMatchObject({ outcome: 'refused', code: 'VALIDATION_ERROR', uploadId: null });
  expect(run!.message).toContain('once a day');
  await expect(
    setSchedule(options, { ...schedule.caller, plan: 'free' }, schedule.sitemap, {}),
  ).rejects.toThrow('once a day');
});

test('a plan has so many schedules', async () => {
  const first = await newSchedule({ ...LOAD, cron: '0 6 * * *' });
  const second = { domain: first.domain, sitemapName: 'second' };
  const daily = { ...LOAD, cron: '0 6 * * *' };
  const free = { ...first.caller, plan: 'free' } as const;
  await expect(setSchedule(options, free, second, daily)).rejects.toThrow('The plan allows 1 schedule.');
  await setSchedule(options, free, first.sitemap, daily);
});

test('a schedule goes with its sitemap, and with its domain', async () => {
  const schedule = await newSchedule({ ...HOURLY }, undefined, 'products');
  const { domain, accountId } = schedule;
  await fixture.upload(accountId, {
    domain: domain.hostname,
    sitemapName: 'products',
    urls: [{ loc: 'https://www.example.com/' }],
  });
  await deleteSitemap({ openChange: fixture.options.openChange, keepReplacedMs: 1 }, domain, 'products');
  expect(await schedule.show()).toBeUndefined();
  const other = await newSchedule(HOURLY, domain, 'other');
  await other.passed('1 hour');
  await look();
  await deleteDomainRow(database as never, domain.id);
  expect(await other.show()).toBeUndefined();
  await look();
});

test('a sitemap that is deleted takes the load of its schedule with it, and no other load', async () => {
  const schedule = await newSchedule();
  const { domain, accountId } = schedule;
  const urls = [{ loc: 'https://www.example.com/' }];
  await fixture.upload(accountId, { domain: domain.hostname, sitemapName: 'products', urls });
  await schedule.passed('1 hour');
  await look();
  const other = await newSchedule(HOURLY, domain, 'other');
  await other.passed('1 hour');
  await look();
  const taken = await takeLoads(database, 5);
  expect(taken.map(({ sitemapName }) => sitemapName).sort()).toEqual(['other', 'products']);
  await deleteSitemap({ openChange: fixture.options.openChange, keepReplacedMs: 1 }, domain, 'products');
  const { rows } = await database.query(
    `SELECT l.sitemap_name AS name, l.ended_at IS NOT NULL AS ended, s.status, a.outcome
       FROM loads l JOIN upload_sessions s ON s.id = l.session_id LEFT JOIN attempts a ON a.id = l.id
      WHERE l.account_id = $1 ORDER BY 1`,
    [accountId],
  );
  expect(rows).toEqual([
    { name: 'other', ended: false, status: 'open', outcome: null },
    { name: 'products', ended: true, status: 'aborted', outcome: 'canceled' },
  ]);
  // The run is gone with its schedule, and no other run begins.
  expect(await schedule.show()).toBeUndefined();
  await look();
  expect(await takeLoads(database, 5)).toEqual([]);
});

test('a sitemap that is deleted just as a run begins takes the load of that run with it', async () => {
  const schedule = await newSchedule();
  const { domain, accountId } = schedule;
  const urls = [{ loc: 'https://www.example.com/' }];
  await fixture.upload(accountId, { domain: domain.hostname, sitemapName: 'products', urls });
  await schedule.passed('1 hour');
  const [due] = await takeDueSchedules(database, 1);
  const { openChange } = fixture.options;
  const both = await inTransaction(database, async (transaction) => {
    await transaction.query('SELECT FROM schedules WHERE id = $1 FOR UPDATE', [schedule.id]);
    const begins = runSchedule(options, due!);
    await untilStatementWaits(database);
    // The deletion has looked for the load before the run begins.
    const deletion = deleteSitemap({ openChange, keepReplacedMs: 1 }, domain, 'products');
    await untilStatementWaits(database, '', 2);
    return [begins, deletion];
  });
  await Promise.all(both);
  expect(await schedule.show()).toBeUndefined();
  expect(await takeLoads(database, 5)).toEqual([]);
  const { rows } = await database.query(
    'SELECT l.ended_at IS NOT NULL AS ended, a.outcome FROM loads l JOIN attempts a ON a.id = l.id WHERE l.account_id = $1',
    [accountId],
  );
  expect(rows).toEqual([{ ended: true, outcome: 'canceled' }]);
});

test('a schedule goes on when the key that made it is revoked', async () => {
  const schedule = await newSchedule();
  await database.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [schedule.caller.keyId]);
  for (let n = 0; n < 2; n++) {
    await schedule.passed('1 hour');
    await look();
    await endLoad('published');
    await look();
  }
  expect(await schedule.outcomes()).toEqual(['time published', 'time published']);
});

test('a schedule that is deleted while its load is under way leaves the load', async () => {
  const schedule = await newSchedule();
  await schedule.passed('1 hour');
  await look();
  await deleteSchedule(database, schedule.caller, schedule.sitemap);
  await endLoad('published');
  await look();
});

test('the same times set again keep a run that is due', async () => {
  const schedule = await newSchedule();
  await schedule.passed('1 hour');
  await schedule.set({});
  await look();
  expect(await schedule.outcomes()).toEqual(['time null']);
  await schedule.set({ cron: '30 * * * *' });
  expect((await schedule.show()).plannedAt!.getUTCMinutes()).toBe(30);
});

test('an address that is sent as it was shown keeps its query', async () => {
  const sources = ['https://www.example.com/feed.csv?token=secret'];
  const schedule = await newSchedule({ ...HOURLY, asked: { ...LOAD.asked!, sources } });
  const shown = ['https://www.example.com/feed.csv?%E2%80%A6', 'https://www.example.com/new.csv?%E2%80%A6'];
  await schedule.set({ asked: { ...LOAD.asked!, sources: shown } });
  expect((await schedule.show()).asked.sources).toEqual([sources[0], shown[1]]);
});
