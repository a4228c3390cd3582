/**
 * The steps of the collector of garbage in a database with as many rows of garbage as an operator of half a million domains has. Each step is
 * a transaction, and collectors repeat it. The store is left out: it answers at once, and has no objects.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../src/core/schema/migrate.ts';
import { collectGarbage } from '../../src/features/sites/collect-garbage.ts';
import {
  forgetGarbage,
  listExcessUploads,
  sumKeptBytes,
  takeDueGarbage,
  takeDueIndexes,
} from '../../src/features/sites/garbage-store.ts';
import { endSharingGenerations, trimGenerations } from '../../src/features/sites/shared-file-store.ts';
import { createLog } from '../../src/platform/log.ts';
import { createDatabasePool, inTransaction, type Transaction } from '../../src/platform/postgres/database.ts';
import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded-postgres.ts';
import { fillDatabase } from '../../tools/filled/fill-database.ts';
import type { Figure } from '../figures.ts';

/** With so many generations, 4.9 million rows of garbage. */
const DOMAINS = 50_000;
const GENERATIONS = 99;
const PORTION = 100;
const RUNS = 20;
const GOAL_S = 2;
/** Some accounts are over it. */
const ALLOWED_BYTES = { free: 1e6, starter: 1e7, pro: 1e8, business: 1e9, enterprise: 1e10 };
const HOUR_MS = 3_600_000;

const STEPS: Readonly<Record<string, (transaction: Transaction) => Promise<unknown>>> = {
  'end generations that share files': (t) => endSharingGenerations(t, PORTION),
  'trim generations': (t) => trimGenerations(t, PORTION),
  'collect a portion': async (t) => {
    const due = await takeDueGarbage(t, PORTION);
    if (due.length === 0) throw new Error('no prefix is due');
    await forgetGarbage(
      t,
      due.map(({ prefix }) => prefix),
    );
  },
  'look for indexes': (t) => takeDueIndexes(t),
  'sum what accounts keep': (t) => sumKeptBytes(t),
  'list what is too much': (t) => listExcessUploads(t, ALLOWED_BYTES, 300_000),
};

export async function* benchGarbage(scale: number): AsyncGenerator<Figure, void, undefined> {
  await using scope = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'waypost-garbage-'));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  const settings = { shared_buffers: '4GB', max_wal_size: '8GB' };
  const postgres = await startEmbeddedPostgres(join(folder, 'postgres'), { durable: false, settings });
  scope.defer(() => postgres.stop());
  const log = createLog('bench', 'warn');
  const patient = createDatabasePool(postgres.url, 2, log, 0);
  await migrate(patient);
  await fillDatabase(postgres.url.reveal(), {
    ...{ domains: Math.max(200, Math.round(DOMAINS * scale)), generations: GENERATIONS, smallFileBytes: 100 },
  });
  await patient.query(
    `UPDATE garbage SET collect_after = now() - random() * interval '1 hour'
      WHERE collect_after < 'infinity' AND hashtext(prefix) % 50 = 0`,
  );
  const { rows } = await patient.query<{ all: number; due: number }>(
    `SELECT count(*)::float8 AS all, count(*) FILTER (WHERE collect_after <= now())::float8 AS due FROM garbage`,
  );
  await patient.end();
  yield { name: 'rows of garbage', value: rows[0]!.all, unit: '' };
  yield { name: 'of them due', value: rows[0]!.due, unit: '' };
  const database = createDatabasePool(postgres.url, 4, log, 30_000);
  scope.defer(() => database.end());
  for (const [name, step] of Object.entries(STEPS)) {
    let slowest = 0;
    for (let n = 0; n < RUNS; n++) {
      const startedAt = performance.now();
      await inTransaction(database, step);
      slowest = Math.max(slowest, (performance.now() - startedAt) / 1000);
    }
    yield { name: `the slowest of ${RUNS}: ${name}`, value: slowest, unit: 's', goal: { atMost: GOAL_S } };
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
