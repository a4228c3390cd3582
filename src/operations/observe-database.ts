/** Counts the connections to the database, and times the statements on each. */
import { Gauge, Histogram } from 'prom-client';
import type { Database, Transaction } from '../platform/postgres/database.ts';
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
  gauge('waypost_database_idle_connections', 'Connections that nobody uses', () => database.idleCount);
  gauge(
    'waypost_database_waiting_requests',
    'Requests that wait for a connection',
    () => database.waitingCount,
  );
  const durations = new Histogram({
    name: 'waypost_database_query_duration_seconds',
    help: 'Statements on Postgres, without the wait for a connection',
    labelNames: ['outcome'],
    buckets: SHORT_BUCKETS,
    registers: [metrics],
  });
  database.on('connect', (client) => {
    timeQueries(client as Transaction, () => {
      const end = durations.startTimer();
      return (error) => end({ outcome: error ? 'failed' : 'done' });
    });
  });
}

type End = (error?: unknown) => void;

/** A client's `query` answers by callback (that is how the pool asks) or by promise. */
function timeQueries(client: Transaction, begin: () => End): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const timed = (...args: unknown[]): unknown => {
    const callback = args.at(-1);
    if (typeof callback === 'function') {
      const end = begin();
      return query(...args.slice(0, -1), (error: unknown, result: unknown) => {
        end(error);
        callback(error, result);
      });
    }
    const answer = query(...args);
    if (!(answer instanceof Promise)) return answer;
    const end = begin();
    answer.then(() => end(), end);
    return answer;
  };
  client.query = timed as typeof client.query;
}
