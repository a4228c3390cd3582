/** Counts the database connections and times their statements. */
import { Gauge, Histogram } from 'prom-client';
import type { Database } from '../platform/postgres/database.ts';
import { watchStatements } from '../platform/postgres/watch-statements.ts';
import { type Metrics, SHORT_BUCKETS } from './registry.ts';

export function observeDatabase(database: Database, metrics: Metrics): void {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [metrics],
      collect() {
        this.set(read());
      },
    });
  gauge('waypost_database_connections', 'Open connections to Postgres', () => database.totalCount);
  gauge('waypost_database_idle_connections', 'Idle connections to Postgres', () => database.idleCount);
  gauge(
    'waypost_database_waiting_requests',
    'Requests waiting for a connection',
    () => database.waitingCount,
  );
  const durations = new Histogram({
    name: 'waypost_database_query_duration_seconds',
    help: 'Duration of Postgres statements, without the wait for a connection',
    labelNames: ['outcome'],
    buckets: SHORT_BUCKETS,
    registers: [metrics],
  });
  database.on('connect', (client) => {
    watchStatements(client, () => {
      const end = durations.startTimer();
      return (error) => end({ outcome: error ? 'failed' : 'done' });
    });
  });
}
