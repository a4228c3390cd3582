/**
 * The hosting server, the part that the whole internet reaches: one process, or a primary and a worker for each of
 * HOSTING_PROCESSES. It has no database.
 */
import cluster from 'node:cluster';
import { observeStorage } from './operations/observe-storage.ts';
import { openOperations, ownMetrics } from './operations/open-operations.ts';
import { createMetrics } from './operations/registry.ts';
import { giveMetricsToPrimary, readMetricsOfWorkers } from './operations/worker-metrics.ts';
import { readConfig } from './platform/config.ts';
import { environment } from './platform/environment.ts';
import { createLog } from './platform/log.ts';
import { openStorage } from './platform/open-storage.ts';
import { runProcess } from './platform/run-process.ts';
import { stopWhenPrimarySays, WorkerProcesses } from './platform/worker-processes.ts';
import { openHosting } from './services.ts';

/** Beyond its time of grace a worker needs no more than a moment to end. */
const ENDING_MS = 2000;

await runProcess(async (scope, stop) => {
  const config = readConfig(environment());
  const log = createLog('hosting', config.LOG_LEVEL);
  if (cluster.isPrimary && config.HOSTING_PROCESSES > 1) {
    // It is ready with its workers and their storage, with which it does nothing else.
    const storage = config.METRICS_PORT === undefined ? undefined : await openStorage(config, scope);
    const isOpen = storage && (await openOperations({ config, log, scope, storage }, readMetricsOfWorkers));
    const stopTimeoutMs = config.HOSTING_GRACE_MS + ENDING_MS;
    const workers = await WorkerProcesses.start({ count: config.HOSTING_PROCESSES, stopTimeoutMs, log });
    scope.use(workers);
    process.on('SIGHUP', () => void workers.restart());
    isOpen?.({ workers: () => workers.check() });
    return;
  }
  if (cluster.isWorker) stopWhenPrimarySays(stop);
  const metrics = createMetrics();
  const storage = observeStorage(await openStorage(config, scope), metrics);
  const readMetrics = ownMetrics(metrics, config);
  if (cluster.isWorker) giveMetricsToPrimary(metrics);
  // With workers, the primary has the port.
  const isOpen = cluster.isWorker
    ? undefined
    : await openOperations({ config, log, scope, storage }, readMetrics);
  const ownLog = cluster.isWorker ? log.child({ worker: process.pid }) : log;
  const fileStorage = observeStorage(await openStorage(config, scope), metrics);
  await openHosting({ config, log: ownLog, metrics, scope, storage }, fileStorage);
  isOpen?.();
});
