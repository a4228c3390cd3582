/**
 * Sums over whole tables, for metrics. A job counts them for all processes. The longer a count takes, the rarer it runs. Otherwise a
 * database with a million domains does nothing but count. Each process reads the results, one row for each sum.
 */
import type { OverdueWork } from '../core/schema/overdue-work.ts';
import type { CertificateExpiries } from '../features/certificates/certificate.ts';
import type { DueCounts } from '../features/changes/due-comparison-store.ts';
import type { PageHostState } from '../features/page-hosts/page-host.ts';
import type { WaitingCounts } from '../features/submission/waiting-store.ts';
import type { WaitingDeliveries } from '../features/webhooks/delivery.ts';
import { recentResult } from '../platform/concurrency/recent-result.ts';
import type { Log } from '../platform/log.ts';
import type { Database } from '../platform/postgres/database.ts';
import { steadyNow } from '../platform/steady-clock.ts';
import { exposeGauge, type Metrics } from './registry.ts';

interface Counts {
  readonly domains: Readonly<Record<string, number>>;
  readonly certificates: CertificateExpiries;
  /** The certificates whose private key was sealed with a key that the jobs lack. */
  readonly 'missing keys': number;
  readonly comparisons: DueCounts;
  readonly 'page hosts': Partial<Record<PageHostState, number>>;
  readonly submissions: WaitingCounts;
  readonly webhooks: WaitingDeliveries;
  readonly work: OverdueWork;
}

export type Counters = {
  readonly [Name in keyof Counts]: () => Promise<Counts[Name]>;
};

/** Each sum may use this share of the time of one processor of Postgres. */
const SHARE = 1 / 1000;

/**
 * Counts the sums that are due. If a count fails, its last value stays, with its age, and the other counts go on. The error does not fail
 * the job: a failed job waits longer each time, and all counts wait with the job.
 */
export async function refreshCounts(database: Database, counters: Counters, log: Log): Promise<void> {
  const { rows } = await database.query<{ name: string }>(
    // A later time is of a clock that was ahead. It makes no count fresh.
    `SELECT name FROM counts WHERE counted_at > now() - seconds / $1 * interval '1 second' AND counted_at <= now()`,
    [SHARE],
  );
  const fresh = new Set(rows.map(({ name }) => name));
  for (const [name, count] of Object.entries(counters)) {
    if (fresh.has(name)) continue;
    try {
      const startedAt = steadyNow();
      const value = await count();
      await saveCount(database, name, value, (steadyNow() - startedAt) / 1000);
    } catch (err) {
      log.warn({ err, count: name }, 'a count for metrics failed');
    }
  }
}

async function saveCount(database: Database, name: string, value: unknown, seconds: number): Promise<void> {
  await database.query(
    `INSERT INTO counts (name, value, counted_at, seconds) VALUES ($1, $2, now(), $3)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value, counted_at = now(), seconds = excluded.seconds`,
    [name, JSON.stringify(value), seconds],
  );
}

/** A function that reads a sum. Returns undefined until a job has counted it for the first time. */
export type ReadCount<Name extends keyof Counts> = () => Promise<Counts[Name] | undefined>;
export type ReadCounts = <Name extends keyof Counts>(name: Name) => ReadCount<Name>;

/** Reads are at least this far apart, even if several scrapers ask more often. */
const READ_EVERY_MS = 5_000;

interface KnownCounts {
  readonly values: ReadonlyMap<string, unknown>;
  /** By how many seconds the most overdue count was overdue at `readAt`; 0 if none was. */
  readonly ageSeconds: number;
  readonly readAt: number;
}

/**
 * Returns the function that gives the reader of each count, for the metrics of a process. Also exposes the age of the counts. Without the
 * database, the last counts stay, and their age rises.
 */
export function createReadCounts(metrics: Metrics, database: Database): ReadCounts {
  let known: KnownCounts | undefined;
  const read = recentResult(
    async () => {
      known = await readCounts(database).catch(() => known);
    },
    { forMs: READ_EVERY_MS },
  );
  exposeGauge(metrics, 'waypost_counts_age_seconds', {
    help: 'How long ago the oldest of the counts in these metrics was made, beyond the time for which it is meant to stand',
    async read() {
      await read();
      return known && Math.max(0, known.ageSeconds + (steadyNow() - known.readAt) / 1000);
    },
  });
  return <Name extends keyof Counts>(name: Name) =>
    async () => {
      await read();
      return known?.values.get(name) as Counts[Name] | undefined;
    };
}

async function readCounts(database: Database): Promise<KnownCounts> {
  const { rows } = await database.query<{ name: string; value: unknown; late: number }>(
    `SELECT name, value, extract(epoch FROM now() - counted_at)::float8 - seconds / $1 AS late FROM counts`,
    [SHARE],
  );
  return {
    values: new Map(rows.map(({ name, value }) => [name, value])),
    ageSeconds: Math.max(0, ...rows.map(({ late }) => late)),
    readAt: steadyNow(),
  };
}
