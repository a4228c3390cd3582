/**
 * Measures the steps of the garbage collector, in a database with as many rows of garbage as an operator of half a million domains has:
 * with a tenth of the due rows, and with all of these rows. Each step is a transaction, and collectors repeat it. The store is left out: it
 * answers at once, and has no objects.
 */
import { collectGarbage } from '../../src/features/sites/collect-garbage.ts';
import {
  endSharingGenerations,
  readDuePages,
  takeDueGarbage,
} from '../../src/features/sites/due-garbage-store.ts';
import {
  forgetGarbage,
  listExcessiveAccounts,
  listExcessUploads,
  sumKeptBytes,
} from '../../src/features/sites/garbage-store.ts';
import { trimGenerations } from '../../src/features/sites/shared-file-store.ts';
import { createLog } from '../../src/platform/log.ts';
import {
  createDatabasePool,
  type Database,
  inTransaction,
  type Transaction,
} from '../../src/platform/postgres/database.ts';
import type { Figure } from '../figures.ts';
import { startFilledPostgres } from './filled-postgres.ts';

/** With this many generations, there are 4.9 million rows of garbage. */
const DOMAINS = 50_000;
const GENERATIONS = 99;
const PAGE = 500;
const PORTION = 100;
const RUNS = 20;
const GOAL_S = 2;
/** The rows that a step reads when all is due ÷ the rows when a tenth is due, at most. A difference of some rows in a page is noise. */
const GOAL_RATIO = 1.1;
/** Some accounts have more kept bytes than this. */
const ALLOWED_BYTES = { free: 1e6, starter: 1e7, pro: 1e8, business: 1e9, enterprise: 1e10 };
const HOUR_MS = 3_600_000;

type Step = (transaction: Transaction, page: readonly string[]) => Promise<unknown>;

const STEPS: Readonly<Record<string, Step>> = {
  'read a page of what is due': (t) => readDuePages(t, PAGE).next(),
  'end generations that share files': (t, page) => endSharingGenerations(t, page),
  'trim generations': (t) => trimGenerations(t, PORTION, 1000),
  'collect a portion': async (t, page) => {
    const due = await takeDueGarbage(t, page, PORTION);
    if (due.length === 0) throw new Error('no prefix is due');
    await forgetGarbage(
      t,
      due.map(({ prefix }) => prefix),
    );
  },
  'sum what accounts keep': (t) => sumKeptBytes(t),
  'list accounts that keep too much': (t) => listExcessiveAccounts(t, ALLOWED_BYTES),
  'list what an account keeps too much': async (t) => {
    const [account] = await listExcessiveAccounts(t, ALLOWED_BYTES);
    if (account !== undefined) await listExcessUploads(t, account, 300_000);
  },
};

export async function* benchGarbage(scale: number): AsyncGenerator<Figure, void, undefined> {
  await using scope = new AsyncDisposableStack();
  const settings = { shared_buffers: '4GB', max_wal_size: '8GB' };
  const domains = Math.max(200, Math.round(DOMAINS * scale));
  const fill = { domains, generations: GENERATIONS, smallFileBytes: 100 };
  const { url } = await startFilledPostgres(scope, 'garbage', { durable: false, settings }, fill);
  const log = createLog('bench', 'warn');
  const database = createDatabasePool(url, 4, log, 0);
  scope.defer(() => database.end());
  const makeDue = async (share: string) => {
    await database.query(
      `UPDATE garbage SET collect_after = now() - random() * interval '1 hour'
        WHERE collect_after < 'infinity' AND hashtext(prefix) % 50 = 0 AND ${share}`,
    );
    await database.query('VACUUM (ANALYZE) garbage, due_garbage');
    const { rows } = await database.query<{ all: number; due: number }>(
      `SELECT count(*)::float8 AS all, count(*) FILTER (WHERE collect_after <= now())::float8 AS due FROM garbage`,
    );
    return rows[0]!;
  };
  const few = await makeDue(`hashtext(prefix || 'x') % 10 = 0`);
  const before = await measure(database);
  const many = await makeDue('true');
  const after = await measure(database);
  yield { name: 'rows of garbage', value: many.all, unit: '' };
  for (const row of Object.keys(STEPS)) {
    const [less, more] = [before.get(row)!, after.get(row)!];
    yield { row, name: `rows read, ${few.due.toLocaleString('en-US')} due`, value: less.rows, unit: '' };
    yield { row, name: `${many.due.toLocaleString('en-US')} due`, value: more.rows, unit: '' };
    const goal = { atMost: GOAL_RATIO };
    yield { row, name: 'ratio', value: (more.rows + 100) / (less.rows + 100), unit: 'x', goal };
    yield { row, name: `the slowest of ${RUNS}`, value: more.seconds, unit: 's', goal: { atMost: GOAL_S } };
  }
  const startedAt = performance.now();
  let objects = 0;
  await collectGarbage({
    ...{ database, log, keepReplacedMs: HOUR_MS, replacedBytes: ALLOWED_BYTES },
    storage: { get: async () => undefined, deleteMany: async () => {}, list: async function* () {} },
    report: (count) => {
      objects += count;
    },
  });
  yield { name: 'a whole run', value: (performance.now() - startedAt) / 1000, unit: 's' };
  if (objects > 0) throw new Error('there are no objects');
}

/** Returns the slowest run of each step, and the most rows that a run reads. Each run is rolled back. */
async function measure(database: Database) {
  const found = new Map<string, { seconds: number; rows: number }>();
  for (const [name, step] of Object.entries(STEPS)) {
    const worst = { seconds: 0, rows: 0 };
    const pages = readDuePages(database, PAGE);
    let page: readonly string[] = [];
    for (let n = 0; n < RUNS; n++) {
      page = (await pages.next()).value ?? page;
      await inTransaction(database, async (transaction) => {
        // Postgres also counts the earlier reads of the session, for up to a second.
        const before = await rowsRead(transaction);
        const startedAt = performance.now();
        await step(transaction, page);
        worst.seconds = Math.max(worst.seconds, (performance.now() - startedAt) / 1000);
        worst.rows = Math.max(worst.rows, (await rowsRead(transaction)) - before);
        await transaction.query('ROLLBACK; BEGIN');
      });
    }
    await pages.return();
    found.set(name, worst);
  }
  return found;
}

async function rowsRead(transaction: Transaction): Promise<number> {
  const { rows } = await transaction.query<{ rows: number }>(
    `SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::float8 AS rows FROM pg_stat_xact_user_tables`,
  );
  return rows[0]!.rows;
}
