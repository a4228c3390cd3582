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
await fillDatabase(url.reveal(), { domains: 1_000, generations: 50 });
const statements: readonly KnownStatement[] = JSON.parse(await readFile(STATEMENTS, 'utf8'));

/** The tables that grow with domains, and most of them with each upload. */
const GROWING = new Set([
  ...[
    'domains',
    'certificates',
    'sitemaps',
    'uploads',
    'sitemap_files',
    'small_files',
    'garbage',
    'due_garbage',
    'comparisons',
  ],
  ...[
    'attempts',
    'upload_days',
    'usage_days',
    'crawls',
    'file_visits',
    'file_errors',
    'audit_events',
    'webhook_events',
    'webhook_deliveries',
  ],
  ...[
    'page_hosts',
    'page_url_counts',
    'indexnow_hosts',
    'indexnow_batches',
    'indexnow_submissions',
    'idempotency_claims',
  ],
]);

/** Partial indexes of what is to be done: they do not grow with history, so reading one as a whole is no harm. */
const QUEUES = new Set([
  ...[
    'sitemaps_due_comparison',
    'sitemaps_unqueued_comparison',
    'domains_unhashed',
    'webhook_deliveries_due',
    'indexnow_hosts_due_at',
  ],
  ...['indexnow_hosts_leased_until', 'sitemaps_stale', 'sitemaps_stale_account'],
]);

/** Statements that read all of a table, by a part of their text: why, and how often. */
const REASONS: readonly (readonly [part: string, why: string])[] = [
  [
    'SELECT status, count(*) AS count FROM domains',
    'a count for metrics: the longer it takes, the less often',
  ],
  ['SELECT state, count(*) AS count FROM page_hosts', 'a count for metrics'],
  ['count(DISTINCT (h.domain_id, h.host))', 'a count for metrics, of what waits'],
  ['FROM garbage WHERE account_id IS NOT NULL', 'a backfill, once'],
  ['FROM garbage WHERE account_id = $1', 'only for accounts that keep more bytes than their plan allows'],
  ['ORDER BY b.oldest NULLS LAST', 'a command of operators'],
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
  const own = isWhole && GROWING.has(table) && !QUEUES.has(node['Index Name'] ?? '') ? [table] : [];
  const passes =
    type === 'Limit' || (isLimited && ['Nested Loop', 'LockRows', 'Subquery Scan', 'Result'].includes(type));
  return [...own, ...(node.Plans ?? []).flatMap((child) => wholeTables(child, passes))];
}

/** Portions are small beside tables, here too. */
const fewer = (value: unknown) => (typeof value === 'number' && value >= 500 ? 50 : value);

const client = await database.connect();
afterAll(() => client.release());

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
    const tables = wholeTables(await planOf(statement));
    if (tables.length === 0) continue;
    const reason = REASONS.find(([part]) => text.includes(part));
    if (reason === undefined) found.push(`${[...new Set(tables)].join()} by ${file}: ${text.slice(0, 300)}`);
    else used.add(reason[0]);
  }
  expect(found).toEqual([]);
  expect([...used].sort()).toEqual(REASONS.map(([part]) => part).sort());
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
