/** Counts the database connections and times their statements. */
import type { Database } from '../platform/postgres/database.ts';
import { watchStatements } from '../platform/postgres/watch-statements.ts';
import { exposeGauge, histogramOf, type Metrics, SHORT_BUCKETS } from './registry.ts';

export function observeDatabase(database: Database, metrics: Metrics): void {
  const gauge = (name: string, help: string, read: () => number) =>
    exposeGauge(metrics, name, { help, read });
  gauge('waypost_database_connections', 'Open connections to Postgres', () => database.totalCount);
  gauge('waypost_database_idle_connections', 'Idle connections to Postgres', () => database.idleCount);
  gauge(
    'waypost_database_waiting_requests',
    'Requests waiting for a connection',
    () => database.waitingCount,
  );
  const durations = histogramOf(metrics, 'waypost_database_query_duration_seconds', {
    help: 'Duration of Postgres statements, without the wait for a connection',
    labelNames: ['outcome'],
    buckets: SHORT_BUCKETS,
  });
  database.on('connect', (client) => {
    watchStatements(client, () => {
      const end = durations.startTimer();
      return (error) => end({ outcome: error ? 'failed' : 'done' });
    });
  });
}
