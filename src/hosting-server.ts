/**
 * The hosting server, the part that the whole internet reaches. It is one process, or a primary with HOSTING_PROCESSES workers, and has no
 * database.
 */
import cluster from 'node:cluster';
import { openHosting } from './compose/open-hosting.ts';
import { openProcess } from './compose/open-process.ts';
import { openStorage } from './compose/open-storage.ts';
import { type Config, readConfig } from './core/config/config.ts';
import { observeStorage } from './operations/observe-storage.ts';
import { openOperations, ownMetrics } from './operations/open-operations.ts';
import { createMetrics } from './operations/registry.ts';
import { exposeWorkerExits, giveMetricsToPrimary, SummedMetrics } from './operations/worker-metrics.ts';
import { createLog } from './platform/log.ts';
import { environment } from './platform/process/environment.ts';
import { runProcess } from './platform/process/run-process.ts';
import { stopWhenPrimarySays, WorkerProcesses } from './platform/process/worker-processes.ts';

/** The time that a worker needs to end after its grace period. */
const ENDING_MS = 2000;

await runProcess(async (scope, stop) => {
  const config = readConfig(environment());
  if (cluster.isPrimary && config.HOSTING_PROCESSES > 1) await startWorkers(config, scope);
  else await startHosting(config, scope, stop);
});

/** The primary uses the storage only for its readiness. */
async function startWorkers(config: Config, scope: AsyncDisposableStack): Promise<void> {
  const log = createLog('hosting', config.LOG_LEVEL);
  const storage = config.METRICS_PORT === undefined ? undefined : await openStorage(config, scope);
  const metrics = createMetrics();
  const summed = new SummedMetrics(metrics);
  const isOpen = storage && (await openOperations({ config, log, scope, storage }, () => summed.read()));
  const stopTimeoutMs = config.HOSTING_GRACE_MS + ENDING_MS;
  const ports = config.HOSTING_TLS_PORT === undefined ? 1 : 2;
  const starting = WorkerProcesses.start({ count: config.HOSTING_PROCESSES, ports, stopTimeoutMs, log });
  const restart = () =>
    starting.then(
      (started) => started.restart(),
      () => {},
    );
  // Listen before the workers start: SIGHUP without a listener ends a process.
  process.on('SIGHUP', () => void restart());
  const workers = await starting;
  scope.use(workers);
  exposeWorkerExits(metrics, () => workers.exits);
  isOpen?.({ workers: () => workers.check() });
}

async function startHosting(config: Config, scope: AsyncDisposableStack, stop: () => void): Promise<void> {
  if (cluster.isWorker) stopWhenPrimarySays(stop);
  // One process alone has no other one to replace it. It ends in order, and whatever started it starts it again.
  else process.on('SIGHUP', stop);
  const common = await openProcess('hosting', config, scope, openImpatientStorage);
  const log = cluster.isWorker ? common.log.child({ worker: process.pid }) : common.log;
  const { metrics } = common;
  const readMetrics = ownMetrics(metrics, config);
  if (cluster.isWorker) giveMetricsToPrimary(metrics);
  // With workers, the primary has the metrics port.
  const isOpen = cluster.isWorker ? undefined : await openOperations(common, readMetrics);
  const fileStorage = observeStorage(await openImpatientStorage(config, scope), metrics);
  await openHosting({ ...common, log }, fileStorage);
  isOpen?.();
}

/** A request to the store ends when hosting stops waiting for it. So a store that hangs does not hold its connection for longer. */
function openImpatientStorage(config: Config, scope: AsyncDisposableStack) {
  const S3_TIMEOUT_MS = Math.min(config.S3_TIMEOUT_MS, config.HOSTING_STORAGE_TIMEOUT_MS);
  return openStorage({ ...config, S3_TIMEOUT_MS }, scope);
}
