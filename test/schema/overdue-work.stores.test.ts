/** The age of each kind of late work, as metrics show it. */
import { afterEach, expect, test } from 'vitest';
import { findOverdueWork, type OverdueWork } from '../../src/core/schema/overdue-work.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase();
const HOUR_AGO = "now() - interval '1 hour'";
const LATER = "now() + interval '1 minute'";
const load = (lease: string) =>
  `INSERT INTO loads (id, session_id, account_id, domain_id, hostname, sitemap_name, asked, form, created_at, lease_until)
   VALUES ('l', 's', 'a', 'd', 'h', '', '{}', 'list', ${HOUR_AGO}, ${lease})`;
const schedule = (dueAt: string) =>
  `INSERT INTO schedules (id, account_id, domain_id, sitemap_name, timezone, spread_ms, asked, terms, is_enabled, due_at)
   VALUES ('s', 'a', 'd', '', 'UTC', 0, '{}', '{}', true, ${dueAt})`;
const recent = (lease: string) =>
  `INSERT INTO recent_sitemaps (domain_id, due_at, leased_until) VALUES ('d', ${HOUR_AGO}, ${lease})`;
const job = (name: string, runAt: string) => `SELECT graphile_worker.add_job('${name}', run_at => ${runAt})`;

afterEach(async () => {
  await database.query(
    'TRUNCATE loads, schedules, recent_sitemaps, page_hosts, due_url_indexes, told_accounts, looks, site_changes CASCADE',
  );
  await database.query('SELECT graphile_worker.complete_jobs(ARRAY(SELECT id FROM graphile_worker.jobs))');
});

/** Rows without what they belong to. */
const insert = (text: string) =>
  inTransaction(database, async (transaction) => {
    await transaction.query('SET LOCAL session_replication_role = replica');
    await transaction.query(text);
  });

const NOTHING = {
  ...{ loads: 0, schedules: 0, 'recent changes': 0, 'page hosts': 0, 'URL indexes': 0 },
  ...{ incidents: 0, freshness: 0, sites: 0, jobs: 0 },
};

test.for<[keyof OverdueWork, string]>([
  ['loads', load("'infinity'")],
  ['schedules', schedule(HOUR_AGO)],
  ['recent changes', recent('NULL')],
  [
    'page hosts',
    `INSERT INTO page_hosts (domain_id, origin, account_id, due_at) VALUES ('d', 'o', 'a', ${HOUR_AGO})`,
  ],
  ['URL indexes', `INSERT INTO due_url_indexes (upload_id, due_at) VALUES ('u', ${HOUR_AGO})`],
  ['incidents', `INSERT INTO told_accounts (account_id, due_at) VALUES ('a', ${HOUR_AGO})`],
  [
    'freshness',
    `INSERT INTO looks (name, at, settled_at) VALUES ('freshness', now() - interval '61 minutes', now())`,
  ],
  [
    'sites',
    `INSERT INTO site_changes (hostname, generation, changed_at, due_at) VALUES ('h', 1, ${HOUR_AGO}, ${LATER})`,
  ],
  ['jobs', job('garbage.collect', HOUR_AGO)],
])('%s that wait for an hour show', async ([work, text]) => {
  expect(await findOverdueWork(database)).toEqual(NOTHING);
  await insert(text);
  const overdue = await findOverdueWork(database);
  expect(Math.floor(overdue[work] / 60)).toBe(60);
  expect({ ...overdue, [work]: 0 }).toEqual(NOTHING);
});

test.for([
  ['a load under way', load(LATER)],
  ['a schedule that is due later', schedule(LATER)],
  ['recent changes that are written', recent(LATER)],
  ['a job that is due later', job('garbage.collect', LATER)],
  ['a first certificate, which waits for its authority', job('certificate.issue', HOUR_AGO)],
])('%s is not late', async ([, text]) => {
  await insert(text!);
  expect(await findOverdueWork(database)).toEqual(NOTHING);
});
