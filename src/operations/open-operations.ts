/** Opens the port for operators' tools where one is set. */
import type { Config } from '../config/config.ts';
import { closeServer, listen } from '../platform/http/http-server.ts';
import type { Log } from '../platform/log.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { ObjectStorage } from '../platform/storage/object-storage.ts';
import { createDatabaseCheck } from '../schema/check-schema.ts';
import { createOperationsServer } from './operations-server.ts';
import { type Checks, Readiness } from './readiness.ts';
import { type Metrics, watchProcess } from './registry.ts';

export interface OperationsOptions {
  readonly config: Config;
  readonly log: Log;
  readonly scope: AsyncDisposableStack;
  /** What this process depends on. */
  readonly storage: Pick<ObjectStorage, 'head'>;
  readonly database?: Database;
}

/** Nothing is stored there: what is asked is whether the store says so. */
const PROBED_KEY = 'readyz';

/**
 * To be opened once all that the process depends on is open, and before its work is: then it closes after the work.
 * What is returned is to be called when the work is open, with what is to be checked besides.
 */
export async function openOperations(
  { config, log, scope, storage, database }: OperationsOptions,
  readMetrics: () => Promise<string>,
): Promise<(more?: Checks) => void> {
  const { METRICS_PORT: port, METRICS_ADDRESS: address } = config;
  if (port === undefined) return () => {};
  const checks: Checks = {
    'object storage': () => storage.head(PROBED_KEY),
    ...(database && { database: createDatabaseCheck(database) }),
  };
  const readiness = new Readiness(log);
  const server = createOperationsServer({ log, readiness, readMetrics });
  const listening = await listen(server, { address, port, variable: 'METRICS_PORT' });
  scope.defer(() => closeServer(server, { graceMs: 0, idleMs: 0 }));
  log.info({ address, port: listening }, 'metrics listening');
  return (more) => {
    readiness.begin({ ...checks, ...more });
    // The scope closes in reverse: this comes first.
    scope.defer(() => readiness.drain());
  };
}

/** The metrics of this very process, with those of Node. */
export function ownMetrics(metrics: Metrics, config: Config): () => Promise<string> {
  if (config.METRICS_PORT !== undefined) watchProcess(metrics);
  return () => metrics.metrics();
}
