/**
 * The hosting server, the part that the whole internet reaches: one process, or a primary and a worker for each of
 * HOSTING_PROCESSES. It has no database.
 */
import cluster from 'node:cluster';
import { readConfig } from './platform/config.ts';
import { environment } from './platform/environment.ts';
import { createLog } from './platform/log.ts';
import { runProcess } from './platform/run-process.ts';
import { stopWhenPrimarySays, WorkerProcesses } from './platform/worker-processes.ts';
import { openHosting, openStorage } from './services.ts';

/** Beyond its time of grace a worker needs no more than a moment to end. */
const ENDING_MS = 2000;

await runProcess(async (scope, stop) => {
  const config = readConfig(environment());
  const log = createLog('hosting', config.LOG_LEVEL);
  if (cluster.isPrimary && config.HOSTING_PROCESSES > 1) {
    const stopTimeoutMs = config.HOSTING_GRACE_MS + ENDING_MS;
    const workers = await WorkerProcesses.start({ count: config.HOSTING_PROCESSES, stopTimeoutMs, log });
    scope.use(workers);
    process.on('SIGHUP', () => void workers.restart());
    return;
  }
  if (cluster.isWorker) stopWhenPrimarySays(stop);
  const storage = await openStorage(config, scope);
  const ownLog = cluster.isWorker ? log.child({ worker: process.pid }) : log;
  await openHosting({ config, log: ownLog, scope, storage });
});
