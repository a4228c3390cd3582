/** The clock of the database was years ahead, and is right again. */
import { readFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { enqueueJob } from '../../src/core/jobs/job-store.ts';
import { mendTimes, TIMES_AHEAD } from '../../src/core/schema/mend-times.ts';
import { takeUploadSlot } from '../../src/features/accounts/upload-slot-store.ts';
import { isFree } from '../../src/platform/postgres/lease.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase();

beforeEach(() => database.query('DELETE FROM looks'));

/** Columns of future times that other code mends, or that only their owner may change. */
const KEPT_ELSEWHERE = [
  // Leases: the condition for taking one.
  ...['leased_until', 'lease_until', 'committing_until', 'comparing_until', 'placing_until'],
  // `replan-schedules.ts`, `expect-uploads.ts`.
  ...[
    'schedules.planned_at',
    'schedules.asked_due_at',
    'schedules.due_at',
    'schedule_runs.planned_at',
    'fresh_until',
  ],
  // Only the sweep for processes of an older version looks at it.
  ...['compare_after'],
  // Only `due_at` decides.
  ...['indexnow_hosts.paused_until'],
  // One row, of the API's own certificate, with `renew_at` beside it.
  ...['own_certificates.due_at', 'own_certificates.ari_check_at'],
  // A former secret of a webhook still signs.
  ...['former_until'],
  ...['looks.settled_at'],
];

test('each time ahead in the schema is mended, or kept right elsewhere', () => {
  const schema = readFileSync(new URL('../schema.sql', import.meta.url), 'utf8');
  const missing: string[] = [];
  for (const [, table, body] of schema.matchAll(/^CREATE TABLE (\w+) \(\n([^;]*)\n\)/gm)) {
    for (const [, column = ''] of body!.matchAll(/^ {2}(\w+) timestamp with time zone/gm)) {
      if (!/(?:due|check|tokens|digest|compare|planned)_(?:at|after)$|until$/.test(column)) continue;
      const isMended = TIMES_AHEAD.some((time) => time.table === table && time.column === column);
      const isKept = KEPT_ELSEWHERE.some((name) => name === column || name === `${table}.${column}`);
      if (!isMended && !isKept) missing.push(`${table}.${column}`);
    }
  }
  expect(missing).toEqual([]);
});

test('what is too far ahead is due now, once the clock has stepped back', async () => {
  const accountId = await addAccount(database);
  const { id } = await addVerifiedDomain(database, accountId);
  const isDue = async () =>
    (await database.query('SELECT check_at <= now() AS due FROM domains WHERE id = $1', [id])).rows[0].due;
  const set = (interval: string) =>
    database.query('UPDATE domains SET check_at = now() + $2::interval WHERE id = $1', [id, interval]);
  await database.query(`UPDATE paces SET tokens_at = now() + interval '4 years'`);
  await set('4 years');
  await mendTimes(database);
  expect(await isDue()).toBe(true);
  expect((await database.query('SELECT tokens_at <= now() AS is_right FROM paces')).rows[0].is_right).toBe(
    true,
  );
  await set('20 hours');
  await mendTimes(database);
  expect(await isDue()).toBe(false);
  // Looks that follow each other find nothing to mend.
  await database.query('UPDATE looks SET settled_at = now()');
  await set('4 years');
  await mendTimes(database);
  expect(await isDue()).toBe(false);
  await database.query(
    `UPDATE looks SET at = at + interval '4 years', settled_at = settled_at + interval '4 years'`,
  );
  await mendTimes(database);
  expect(await isDue()).toBe(true);
});

test('a slot of an upload whose process died while the clock was ahead is free', async () => {
  const wanted = { accountId: await addAccount(database), first: 1, count: 1, holder: 'one' };
  const take = () => takeUploadSlot(database, wanted, 5000);
  await take();
  await database.query(`UPDATE upload_slots SET expires_at = expires_at + interval '4 years'`);
  expect(await take()).toBeUndefined();
  await mendTimes(database);
  expect(await take()).toMatchObject({ n: 1 });
});

test('a session and links that were made while the clock was ahead are over, and others go on', async () => {
  const accountId = await addAccount(database);
  await database.query(`INSERT INTO users (id, name) VALUES ('user_ahead', 'A')`);
  await database.query(`INSERT INTO members (account_id, user_id, role) VALUES ($1, 'user_ahead', 'owner')`, [
    accountId,
  ]);
  await database.query(
    `INSERT INTO sessions (id, token_hash, user_id, account_id, authenticated_at, expires_at)
     SELECT ahead, sha256(ahead::bytea), 'user_ahead', $1, now(), now() + interval '7 days' + ahead::interval
       FROM unnest('{"4 years", "0 days"}'::text[]) AS ahead`,
    [accountId],
  );
  await database.query(
    `INSERT INTO sign_in_links (token_hash, kind, account_id, expires_at)
     SELECT sha256((kind || ahead)::bytea), kind, $1, now() + length::interval + ahead::interval
       FROM unnest('{"4 years", "0 days"}'::text[]) AS ahead, (VALUES ('sign_in', '10 minutes'), ('invitation', '7 days')) AS of (kind, length)`,
    [accountId],
  );
  await mendTimes(database);
  const { rows } = await database.query(
    `SELECT 'session' AS kind, expires_at > now() AS open FROM sessions
     UNION ALL SELECT kind, expires_at > now() FROM sign_in_links ORDER BY kind, open`,
  );
  expect(rows.map(({ kind, open }) => `${kind} ${open}`)).toEqual([
    'invitation false',
    'invitation true',
    'session false',
    'session true',
    'sign_in false',
    'sign_in true',
  ]);
});

test('a job that was enqueued while the clock was ahead is due, and one that waits after a failure is not', async () => {
  const due = `SELECT key FROM graphile_worker.jobs WHERE run_at <= now()`;
  for (const key of ['ahead', 'failed']) {
    await enqueueJob(database, 'doctor.examine', { id: 'x' }, { key, delayMs: 3_600_000 });
  }
  await database.query(
    `UPDATE graphile_worker._private_jobs SET run_at = run_at + interval '5 hours', created_at = created_at + interval '5 hours',
            updated_at = updated_at + interval '5 hours' WHERE key = 'ahead'`,
  );
  await mendTimes(database);
  expect((await database.query(due)).rows).toEqual([{ key: 'ahead' }]);
});

test('garbage that would wait for years waits for a day, and what is kept stays', async () => {
  const waits = {
    years: "now() + interval '4 years'",
    hours: "now() + interval '20 hours'",
    kept: "'infinity'",
  };
  for (const [prefix, after] of Object.entries(waits)) {
    await database.query(`INSERT INTO garbage (prefix, collect_after) VALUES ('${prefix}', ${after})`);
  }
  await mendTimes(database);
  const { rows } = await database.query<{ prefix: string; hours: number }>(
    `SELECT prefix, round(extract(epoch FROM collect_after - now()) / 3600)::float8 AS hours FROM garbage`,
  );
  const hoursOf = new Map(rows.map(({ prefix, hours }) => [prefix, hours]));
  expect(hoursOf).toEqual(
    new Map([
      ['years', 24],
      ['hours', 20],
      ['kept', Number.POSITIVE_INFINITY],
    ]),
  );
});

test('each statement finds its table, column and condition', async () => {
  for (const { table, column, most, where = 'true' } of TIMES_AHEAD) {
    await database.query(
      `SELECT FROM ${table} WHERE ${where} AND ${column} > now() + interval '${most}' LIMIT 1`,
    );
  }
});

test('a lease that began while the clock was ahead can be taken', async () => {
  const free = async (until: string) =>
    (await database.query(`SELECT ${isFree('until')} AS free FROM (SELECT ${until} AS until) AS lease`))
      .rows[0].free;
  expect(await free('NULL::timestamptz')).toBe(true);
  expect(await free("now() - interval '1 second'")).toBe(true);
  expect(await free("now() + interval '5 minutes'")).toBe(false);
  expect(await free("now() + interval '4 years'")).toBe(true);
});
