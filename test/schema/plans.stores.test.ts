/**
 * How Postgres finds the rows of each statement of `src` in a database with a long history. A statement that reads a whole table
 * which grows with history, or all entries of an index of it, needs a reason here.
 */
import { readFile } from 'node:fs/promises';
import { afterAll, expect, test } from 'vitest';
import { fillDatabase } from '../../tools/filled/fill-database.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { type KnownStatement, STATEMENTS, TEMPORARY } from './statement-shape.ts';

const { database, url } = await createTestDatabase();
await fillDatabase(url.reveal(), { domains: 4_000, generations: 12 });
const statements: readonly KnownStatement[] = JSON.parse(await readFile(STATEMENTS, 'utf8'));

/** Tables that stay small, so that a statement may read one as a whole. All other tables are judged. */
const SMALL = [
  // A few rows, of the schema and of the operators.
  ...[
    'acme_accounts',
    'backfills',
    'counts',
    'migrations',
    'own_certificates',
    'paces',
    'plans',
    'storage_mark',
    'usage_readings',
  ],
  // Work that is under way. Its rows are deleted at its end.
  ...[
    'load_objects',
    'sign_in_links',
    'site_changes',
    'upload_session_parts',
    'upload_slots',
    'usage_changes',
  ],
  // A row for each account, or two. In this database they are too few to judge.
  ...['kept_bytes', 'rate_limits', 'request_days', 'webhook_endpoints'],
];

/** Partial indexes of what is to be done: they do not grow with history, so reading one as a whole is no harm. */
const QUEUES = new Set([
  ...[
    'sitemaps_due_comparison',
    'sitemaps_unqueued_comparison',
    'domains_unhashed',
    'webhook_deliveries_due',
    'indexnow_hosts_due_at',
  ],
  ...['indexnow_hosts_leased_until', 'sitemaps_stale', 'sitemaps_stale_account', 'page_hosts_unwell'],
  ...['accounts_suspended', 'loads_due', 'loads_running', 'upload_sessions_open'],
  ...['schedules_failing', 'schedules_load'],
]);

/** Statements that read all of a table, by a part of their text: why, and how often. */
const REASONS: readonly (readonly [part: string, why: string])[] = [
  [
    'SELECT status, count(*) AS count FROM domains',
    'a count for metrics: the longer it takes, the less often',
  ],
  ['SELECT state, count(*) AS count FROM page_hosts', 'a count for metrics'],
  ['count(DISTINCT (h.domain_id, h.host))', 'a count for metrics, of what waits'],
  ['EXISTS (SELECT FROM sitemaps) AS "isUsed"', 'the first row is enough'],
  ['FROM garbage WHERE account_id IS NOT NULL', 'a backfill, once'],
  ['SELECT h.id FROM held_uploads h', 'once an hour, and rows of held uploads are deleted after two days'],
  ['FROM garbage WHERE account_id = $1', 'only for accounts that keep more bytes than their plan allows'],
  ['ORDER BY b.oldest NULLS LAST', 'a command of operators'],
  ['FROM recent_sitemaps WHERE upload_id', 'a command of operators, once for each object that is lost'],
  [
    'DELETE FROM sessions s WHERE s.id IN (SELECT s.id FROM sessions s WHERE NOT',
    'each 10 minutes, and other sessions than those of the last 12 hours are gone',
  ],
];

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Recheck Cond'?: string;
  readonly Filter?: string;
  readonly Plans?: readonly PlanNode[];
}

/** Tables that the plan reads as a whole. Under a LIMIT, an index in the wanted order ends soon. */
function wholeTables(node: PlanNode, isLimited = false): string[] {
  const { 'Node Type': type, 'Relation Name': table = '' } = node;
  const isWhole =
    type === 'Seq Scan' ||
    ((type === 'Index Scan' || type === 'Index Only Scan') && !node['Index Cond'] && !isLimited);
  const own = isWhole && tables.has(table) && !QUEUES.has(node['Index Name'] ?? '') ? [table] : [];
  const passes =
    type === 'Limit' || (isLimited && ['Nested Loop', 'LockRows', 'Subquery Scan', 'Result'].includes(type));
  return [...own, ...(node.Plans ?? []).flatMap((child) => wholeTables(child, passes))];
}

/** Portions are small beside tables, here too. */
const fewer = (value: unknown) => (typeof value === 'number' && value >= 500 ? 50 : value);

const client = await database.connect();
afterAll(() => client.release());
const { rows } = await client.query<{ name: string }>(
  "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
);
const tables = new Set(rows.map(({ name }) => name));

async function planOf({ file, text, values }: KnownStatement): Promise<PlanNode> {
  const { rows } = await client
    .query(`EXPLAIN (FORMAT JSON) ${text}`, values.map(fewer))
    .catch((cause: Error) => Promise.reject(new Error(`${file}: ${text}: ${cause.message}`, { cause })));
  return rows[0]['QUERY PLAN'][0].Plan;
}

/** The nodes that look for a sitemap by its name, but read all sitemaps of its domain. */
function sitemapsByDomainAlone(node: PlanNode): PlanNode[] {
  const isOne = node['Index Name'] === 'sitemaps_by_name' && /name\b.* = /.test(node.Filter ?? '');
  return [...(isOne ? [node] : []), ...(node.Plans ?? []).flatMap(sitemapsByDomainAlone)];
}

test('no statement reads a whole table that grows, except where a list says why', async () => {
  // Postgres reads a table of this size whole if that costs less. Without that choice, a statement that still does so has no index.
  await client.query('SET enable_seqscan = off');
  const found: string[] = [];
  const used = new Set<string>();
  for (const statement of statements) {
    const { file, text } = statement;
    if (TEMPORARY.test(text)) continue;
    const read = new Set(wholeTables(await planOf(statement)));
    const reason = REASONS.find(([part]) => text.includes(part))?.[0];
    for (const name of SMALL) if (read.delete(name)) used.add(name);
    if (read.size === 0) continue;
    if (reason === undefined) found.push(`${[...read].join()} by ${file}: ${text.slice(0, 300)}`);
    else used.add(reason);
  }
  expect(found).toEqual([]);
  expect([...used].sort()).toEqual([...SMALL, ...REASONS.map(([part]) => part)].sort());
});

test('a sitemap of a domain is found by both, as a domain may have 10,000', async () => {
  const found: string[] = [];
  for (const statement of statements) {
    if (TEMPORARY.test(statement.text)) continue;
    if (sitemapsByDomainAlone(await planOf(statement)).length > 0)
      found.push(`${statement.file}: ${statement.text}`);
  }
  expect(found).toEqual([]);
});
