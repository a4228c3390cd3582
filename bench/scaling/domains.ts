/**
 * Measures how the time of statements grows with the number of domains, each with ten generations. Two databases are filled (tools/filled),
 * and the same statements run on both, in turns.
 */
import { createCounters } from '../../src/compose/counters.ts';
import { findCallers } from '../../src/features/accounts/key-store.ts';
import { listDueFirsts, listDueRenewals } from '../../src/features/certificates/certificate-store.ts';
import { listKeysInUse, listSealedBy } from '../../src/features/certificates/sealed-key-store.ts';
import { sweepComparisons, takeDueComparison } from '../../src/features/changes/due-comparison-store.ts';
import {
  findOverdueChecks,
  setCheckPace,
  takeDueChecks,
  takeDuePending,
} from '../../src/features/domains/check-store.ts';
import { findDomainCounts, findStoredBytes } from '../../src/features/domains/domain-counts-store.ts';
import { listDomainSummaries, lockDomains } from '../../src/features/domains/domain-store.ts';
import { findSiteDomain, readHostHashes } from '../../src/features/domains/served-domain-store.ts';
import { listDomains } from '../../src/features/needs/domain-list-store.ts';
import { findNeeds } from '../../src/features/needs/need-store.ts';
import { readOverview } from '../../src/features/needs/overview-store.ts';
import { takeDuePageHosts } from '../../src/features/page-hosts/page-host-store.ts';
import { readDuePages, takeDueGarbage } from '../../src/features/sites/due-garbage-store.ts';
import { listExcessiveAccounts, sumKeptBytes } from '../../src/features/sites/garbage-store.ts';
import { listLiveSitemaps } from '../../src/features/sites/site-store.ts';
import { takeHosts } from '../../src/features/submission/host-store.ts';
import { findFormerSitemaps } from '../../src/features/uploads/publishing/publish-store.ts';
import { takeDeliveries } from '../../src/features/webhooks/take-deliveries.ts';
import { createLog } from '../../src/platform/log.ts';
import {
  createDatabasePool,
  type Database,
  inTransaction,
  type Transaction,
} from '../../src/platform/postgres/database.ts';
import type { Secret } from '../../src/platform/secret.ts';
import type { Figure } from '../figures.ts';
import { median } from '../statistics.ts';
import { startFilledPostgres } from './filled-postgres.ts';

const FEW = 10_000;
/** The time of a frequent statement may grow at most by this factor. */
const HOT_GOAL = 1.3;
const HOT_RUNS = 60;
const RUNS = 5;

interface Place {
  readonly accountId: string;
  readonly domainId: string;
  readonly hostname: string;
}

interface Measured {
  /**
   * Whether the statement runs for each request, or each time that a jobs process looks for work. Other statements run in periodic jobs.
   */
  readonly isHot: boolean;
  readonly run: (transaction: Transaction, place: Place) => Promise<unknown>;
}

const hot = (run: Measured['run']): Measured => ({ isHot: true, run });
const periodic = (run: Measured['run']): Measured => ({ isHot: false, run });
const BYTES = { free: 1e9, starter: 1e10, pro: 1e11, business: 1e12, enterprise: 2e13 };

const STATEMENTS: Readonly<Record<string, Measured>> = {
  'find the caller of a key': hot((t) => findCallers(t, ['none'])),
  'lock a domain': hot((t, { domainId }) => lockDomains(t, [domainId], true)),
  'count a domain': hot((t, { domainId }) => findDomainCounts(t, [domainId])),
  'find the bytes of an account': hot((t, { accountId }) => findStoredBytes(t, [accountId])),
  'find a former generation': hot((t, { domainId }) =>
    findFormerSitemaps(t, [{ domainId, sitemapName: '' }], 100),
  ),
  'read a site to write it': hot((t, { hostname }) => findSiteDomain(t, hostname)),
  'list its live sitemaps': hot((t, { domainId }) => listLiveSitemaps(t, [domainId])),
  'list domains': hot((t, { accountId }) => listDomainSummaries(t, accountId, 50, undefined)),
  'overview of an account': hot((t, { accountId }) => readOverview(t, accountId)),
  'list what needs people': hot((t, { accountId }) => findNeeds(t, accountId, undefined, 100)),
  'list domains in the dashboard': hot((t, { accountId }) =>
    listDomains(t, { accountId, search: '', filter: 'all', order: 'urgency' }, 50, undefined),
  ),
  'take a comparison, none due': hot((t) => takeDueComparison(t, { lane: 0, after: '' })),
  'take a comparison, one due': hot(async (t, { domainId, accountId }) => {
    await t.query(
      `UPDATE sitemaps SET compare_at = now(), compare_lane = 0, compare_account = $2, compared_upload_id = 'x' WHERE domain_id = $1`,
      [domainId, accountId],
    );
    return timed(() => takeDueComparison(t, { lane: 0, after: '' }));
  }),
  'take 8 DNS checks, all are due': hot((t) => takeDueChecks(t, 8)),
  'take 40 page hosts, all are due': hot((t) =>
    takeDuePageHosts(t, { limit: 40, perAccount: 10, busyAccounts: [] }),
  ),
  'take pending domains': hot((t) => takeDuePending(t, 40)),
  'take webhook deliveries': hot((t) => takeDeliveries(t, 10, { isSlow: false })),
  'take hosts of changed URLs': hot((t) => takeHosts(t, 10)),
  'list due renewals': periodic((t) => listDueRenewals(t, 70_000, 4000)),
  'list due first certificates': periodic((t) => listDueFirsts(t, 70_000, 1000)),
  'list keys that sealed certificates': periodic((t) => listKeysInUse(t)),
  'list keys to seal anew': periodic((t) => listSealedBy(t, 'another', 1000)),
  'find late DNS checks': periodic((t) => findOverdueChecks(t)),
  'set the pace of DNS checks': periodic((t) => setCheckPace(t)),
  'take due garbage': periodic(async (t) => {
    for await (const page of readDuePages(t, 500)) return takeDueGarbage(t, page, 100);
  }),
  'sum kept bytes': periodic((t) => sumKeptBytes(t)),
  'list accounts that keep too much': periodic((t) => listExcessiveAccounts(t, BYTES)),
  'sweep comparisons': periodic((t) => sweepComparisons(t)),
  'read a shard of the host directory': periodic((t) => readHostHashes(t, [7], 64)),
  ...Object.fromEntries(
    (
      ['domains', 'certificates', 'comparisons', 'page hosts', 'submissions', 'webhooks', 'work'] as const
    ).map((name) => [
      `count ${name} for metrics`,
      periodic((t) => createCounters(t as unknown as Database, undefined)[name]()),
    ]),
  ),
};

/** The result of a run that measures only a part of itself. `ms`: the time of this part. */
class Timed {
  readonly ms: number;
  constructor(ms: number) {
    this.ms = ms;
  }
}

async function timed(work: () => Promise<unknown>): Promise<Timed> {
  const startedAt = performance.now();
  await work();
  return new Timed(performance.now() - startedAt);
}

export async function* benchDomains(domains: number): AsyncGenerator<Figure, void, undefined> {
  const fewDomains = Math.min(FEW, domains);
  await using few = await openFilled(fewDomains);
  await using many = await openFilled(domains);
  const shown = (count: number) => `${count.toLocaleString('en-US')} domains`;
  for (const [row, { isHot, run }] of Object.entries(STATEMENTS)) {
    const count = isHot ? HOT_RUNS : RUNS;
    // The first visit of each place does not count: it makes plans, and reads pages into memory.
    for (const filled of [few, many]) for (let n = 0; n < count; n++) await runOnce(filled, run, n);
    const less: number[] = [];
    const more: number[] = [];
    // The databases take turns, so that a slow moment of the machine counts for both.
    for (let n = 0; n < count; n++) {
      less.push(await runOnce(few, run, n));
      more.push(await runOnce(many, run, n));
    }
    yield { row, name: shown(fewDomains), value: median(less), unit: 'ms' };
    yield { row, name: shown(domains), value: median(more), unit: 'ms' };
    const ratio = { row, name: 'ratio', value: median(more) / median(less), unit: 'x' };
    yield { ...ratio, ...(isHot && { goal: { atMost: HOT_GOAL } }) };
  }
}

interface Filled extends AsyncDisposable {
  readonly database: Database;
  /** The places that the statements visit. */
  readonly places: readonly Place[];
}

async function openFilled(domains: number): Promise<Filled> {
  await using scope = new AsyncDisposableStack();
  const settings = { shared_buffers: '4GB', max_wal_size: '8GB' };
  const { url } = await startFilledPostgres(scope, 'scaling', { durable: false, settings }, { domains });
  await makeDue(url);
  const database = createDatabasePool(url, 1, createLog('bench', 'warn'), 30_000);
  scope.defer(() => database.end());
  const { rows: places } = await database.query<Place>(
    `SELECT account_id AS "accountId", id AS "domainId", hostname FROM domains WHERE status = 'active' ORDER BY md5(id) LIMIT 200`,
  );
  const open = scope.move();
  return { database, places, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** Runs a statement at the place number `n`, and leaves no changes. Returns its time in milliseconds. */
function runOnce({ database, places }: Filled, run: Measured['run'], n: number): Promise<number> {
  return inTransaction(database, async (transaction) => {
    const took = await timedRun(() => run(transaction, places[n % places.length]!));
    await transaction.query('ROLLBACK; BEGIN');
    return took;
  });
}

/** Makes all checks of domains and page hosts due, as they are after an outage of the jobs processes. */
async function makeDue(url: Secret): Promise<void> {
  await using scope = new AsyncDisposableStack();
  const database = createDatabasePool(url, 1, createLog('bench', 'warn'), 0);
  scope.defer(() => database.end());
  await database.query(
    `UPDATE domains SET check_at = now() - random() * interval '1 day' WHERE status = 'active'`,
  );
  await database.query(`UPDATE page_hosts SET due_at = now() - random() * interval '1 day'`);
  for (const table of ['domains', 'page_hosts']) await database.query(`VACUUM ANALYZE ${table}`);
}

async function timedRun(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  const result = await work();
  return result instanceof Timed ? result.ms : performance.now() - startedAt;
}
