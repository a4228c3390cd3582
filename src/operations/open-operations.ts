/** Opens the port for operators' tools, if METRICS_PORT is set. */
import { randomInt } from 'node:crypto';
import type { Config } from '../core/config/config.ts';
import { createDatabaseCheck } from '../core/schema/check-schema.ts';
import { closeServer, listen } from '../platform/http/http-server.ts';
import type { Log } from '../platform/log.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { ObjectStorage } from '../platform/storage/object-storage.ts';
import { createOperationsServer } from './operations-server.ts';
import { type Checks, Readiness } from './readiness.ts';
import { type Metrics, watchProcess } from './registry.ts';

export interface OperationsOptions {
  readonly config: Config;
  readonly log: Log;
  readonly scope: AsyncDisposableStack;
  /** The dependencies that readiness checks. A process with a database writes to the store, and any other process reads from it. */
  readonly storage: Pick<ObjectStorage, 'head' | 'put'>;
  readonly database?: Database;
}

/** The object that the probe looks for. */
const PROBED_KEY = 'readyz';
/**
 * The number of objects that probes write. No process reads their content. Each process has one of them, because some stores take one put
 * of a key in a second, from all processes together: Cloudflare R2, Google Cloud Storage.
 */
const WRITTEN_KEYS = 64;
/** The probe is not empty, because a full disk often takes an empty file. */
const PROBE = Buffer.alloc(4096);

/**
 * Opens the port. Call this after the process has opened its dependencies and before it opens its work, so that this port closes after the
 * work. Call the returned function when the work is open. `more`: further checks.
 */
export async function openOperations(
  { config, log, scope, storage, database }: OperationsOptions,
  readMetrics: () => Promise<string>,
): Promise<(more?: Checks) => void> {
  const { METRICS_PORT: port, METRICS_ADDRESS: address } = config;
  if (port === undefined) return () => {};
  const writtenKey = `${PROBED_KEY}-${randomInt(WRITTEN_KEYS)}`;
  const checks: Checks =
    database === undefined
      ? { 'object storage': () => storage.head(PROBED_KEY) }
      : {
          'object storage': () => storage.put(writtenKey, [PROBE]),
          database: createDatabaseCheck(database),
        };
  const readiness = new Readiness(log);
  const server = createOperationsServer({ log, readiness, readMetrics });
  const names = { variable: 'METRICS_PORT', addressVariable: 'METRICS_ADDRESS' };
  const listening = await listen(server, { address, port, ...names });
  scope.defer(() => closeServer(server, { graceMs: 0, idleMs: 0 }));
  log.info({ address, port: listening }, 'metrics listening');
  return (more) => {
    readiness.begin({ ...checks, ...more });
    // The scope closes in reverse order, so draining comes first.
    scope.defer(() => readiness.drain());
  };
}

/** Returns a function that reads the metrics of this one process. With METRICS_PORT, they include the metrics of Node. */
export function ownMetrics(metrics: Metrics, config: Config): () => Promise<string> {
  if (config.METRICS_PORT !== undefined) watchProcess(metrics);
  return () => metrics.metrics();
}
