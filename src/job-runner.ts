/** The jobs as a process of its own. */
import { readPlans } from './accounts/plans.ts';
import { observeStorage } from './operations/observe-storage.ts';
import { openOperations, ownMetrics } from './operations/open-operations.ts';
import { createMetrics } from './operations/registry.ts';
import { readConfig } from './platform/config.ts';
import { environment } from './platform/environment.ts';
import { createLog } from './platform/log.ts';
import { openStorage } from './platform/open-storage.ts';
import { runProcess } from './platform/run-process.ts';
import { openDatabase, openJobs } from './services.ts';

await runProcess(async (scope) => {
  const config = readConfig(environment(), ['DATABASE_URL']);
  const plans = readPlans(config.PLANS);
  const log = createLog('jobs', config.LOG_LEVEL);
  const metrics = createMetrics();
  const storage = observeStorage(await openStorage(config, scope), metrics);
  const database = openDatabase(config.DATABASE_URL, { config, log, metrics, scope });
  const isOpen = await openOperations({ config, log, scope, storage, database }, ownMetrics(metrics, config));
  const parts = { config, log, metrics, scope, storage, database, publicOrigin: config.PUBLIC_ORIGIN };
  await openJobs(parts, plans);
  isOpen();
  log.info({}, 'working on jobs');
});
