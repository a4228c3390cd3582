/** The effects of backfills on the rows of older versions. */
import { readdir } from 'node:fs/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { BACKFILLS } from '../../src/core/schema/backfills.ts';
import { runBackfills } from '../../src/core/schema/run-backfills.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { collectLog } from '../support/collect-log.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase();
const run = () => runBackfills({ database, log: collectLog() });
const again = (...names: string[]) =>
  database.query('UPDATE backfills SET done_at = NULL, rows = 0 WHERE name = ANY($1)', [names]);

beforeEach(async () => {
  await database.query(`TRUNCATE accounts CASCADE`);
  await database.query(`INSERT INTO accounts (id, name, plan) VALUES ('a', 'a', 'free')`);
  await database.query('UPDATE backfills SET done_at = now()');
});

const insertDomains = (domains: Readonly<Record<string, string>>) =>
  database.query(
    `INSERT INTO domains (id, account_id, hostname, status, ssl_status, cname_target)
     SELECT id, 'a', id || '.example.com', status, 'pending', 'x' FROM unnest($1::text[], $2::text[]) AS d (id, status)`,
    [Object.keys(domains), Object.values(domains)],
  );

test('each backfill that a migration asks for is known', async () => {
  const { rows } = await database.query('SELECT name FROM backfills ORDER BY 1');
  expect(rows.map(({ name }) => name)).toEqual(BACKFILLS.map(({ name }) => name).sort());
  expect(await readdir(new URL('../../src/core/schema/migrations', import.meta.url))).not.toEqual([]);
});

test('domains that were verified before certificates existed get theirs', async () => {
  await insertDomains({
    served: 'verified',
    waits: 'pending_verification',
    failed: 'failed',
    has: 'verified',
    again: 'verified',
  });
  await database.query(
    `INSERT INTO certificates (account_id, hostname, domain_id) VALUES ('a', 'has.example.com', 'has'), ('a', 'again.example.com', NULL)`,
  );
  await again('certificates.missing');
  await run();
  const { rows } = await database.query(
    'SELECT domain_id AS id, due_at <= now() AS due FROM certificates ORDER BY 1',
  );
  expect(rows).toEqual([
    { id: 'again', due: true },
    { id: 'has', due: null },
    { id: 'served', due: true },
  ]);
});

test('domains that wait for their verification are checked, those of this machine never', async () => {
  await insertDomains({ served: 'verified', waits: 'pending_verification' });
  await database.query(`INSERT INTO domains (id, account_id, hostname, status, ssl_status, cname_target)
    VALUES ('local', 'a', 'shop.localhost', 'pending_verification', 'pending', 'x')`);
  await again('domains.pending_checks');
  await run();
  const { rows } = await database.query('SELECT id FROM domains WHERE check_at IS NOT NULL');
  expect(rows).toEqual([{ id: 'waits' }]);
});

test('keys learn from the audit log who made them', async () => {
  await database.query(`
    INSERT INTO api_keys (id, account_id, name, prefix, key_hash) VALUES ('by', 'a', '', '', 'h1'), ('unknown', 'a', '', '', 'h2');
    INSERT INTO audit_events (account_id, action, subject, details, user_id, actor_name)
    VALUES ('a', 'key.created', '', '{"keyId":"by"}', 'user', 'Ann')`);
  await again('keys.creators');
  await run();
  const { rows } = await database.query(
    'SELECT id, creator_id AS "creatorId", creator_name AS name FROM api_keys ORDER BY id',
  );
  expect(rows).toEqual([
    { id: 'by', creatorId: 'user', name: 'Ann' },
    { id: 'unknown', creatorId: null, name: null },
  ]);
});

test('the times of garbage from before are listed once, and kept generations are not', async () => {
  await database.query(
    `INSERT INTO garbage (prefix, collect_after)
     SELECT 'uploads/due_' || n || '/', CASE WHEN n = 3 THEN 'infinity' ELSE now() + n * interval '1 hour' END
       FROM generate_series(1, 4) AS n`,
  );
  // As before the migration, except for one that has changed since.
  await database.query(`DELETE FROM due_garbage WHERE prefix <> 'uploads/due_2/'`);
  for (let time = 1; time <= 2; time++) {
    await again('garbage.due');
    await run();
  }
  const { rows } = await database.query<{ prefix: string }>(
    `SELECT prefix FROM due_garbage d JOIN garbage USING (prefix, collect_after) ORDER BY d.collect_after`,
  );
  expect(rows.map(({ prefix }) => prefix)).toEqual(['uploads/due_1/', 'uploads/due_2/', 'uploads/due_4/']);
});

test('the bytes that accounts keep are counted once', async () => {
  await database.query(`
    TRUNCATE garbage, kept_bytes, kept_bytes_changes CASCADE;
    INSERT INTO garbage (prefix, collect_after, account_id, bytes) VALUES ('a/', now(), 'a', 5), ('b/', now(), 'a', 6);
    DELETE FROM kept_bytes_changes;
    INSERT INTO garbage (prefix, collect_after, account_id, bytes) VALUES ('c/', now(), 'a', 7)`);
  for (let n = 0; n < 2; n++) {
    await again('garbage.kept_bytes');
    await run();
    const { rows } = await database.query('SELECT sum(bytes)::bigint AS bytes FROM kept_bytes_changes');
    expect(rows).toEqual([{ bytes: 18 }]);
  }
});

describe('of many rows', () => {
  const countWaiting = async () =>
    (await database.query('SELECT count(*) AS count FROM domains WHERE check_at IS NULL')).rows[0].count;
  const insertMany = (count: number) =>
    insertDomains(
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`d${n}`, 'pending_verification'])),
    );

  test('all are filled, and none twice', async () => {
    await insertMany(1234);
    await again('domains.pending_checks');
    await Promise.all([run(), run()]);
    expect(await countWaiting()).toBe(0);
    await again('domains.pending_checks');
    const before = await database.query('SELECT id, check_at FROM domains ORDER BY id');
    await run();
    expect((await database.query('SELECT id, check_at FROM domains ORDER BY id')).rows).toEqual(before.rows);
  });

  test('it does not wait for rows that others have, and comes back for them', async () => {
    await insertMany(20);
    await again('domains.pending_checks');
    let running: Promise<void> | undefined;
    await inTransaction(database, async (transaction) => {
      await transaction.query(`SELECT FROM domains WHERE id = 'd7' FOR UPDATE`);
      running = run();
      await expect.poll(countWaiting).toBe(1);
    });
    await running;
    expect(await countWaiting()).toBe(0);
    const { rows } = await database.query(
      `SELECT done_at IS NOT NULL AS done FROM backfills WHERE name = 'domains.pending_checks'`,
    );
    expect(rows).toEqual([{ done: true }]);
  });

  test('whoever goes on begins where the last portion ended', async () => {
    await insertMany(20);
    await again('domains.pending_checks');
    await database.query(`UPDATE backfills SET after = 'd5' WHERE name = 'domains.pending_checks'`);
    await run();
    const { rows } = await database.query('SELECT max(id) AS id FROM domains WHERE check_at IS NULL');
    expect(rows).toEqual([{ id: 'd5' }]);
  });
});
