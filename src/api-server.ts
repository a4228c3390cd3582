/** The API as a process of its own. */
import { readPlans } from './accounts/plans.ts';
import { observeStorage } from './operations/observe-storage.ts';
import { openOperations, ownMetrics } from './operations/open-operations.ts';
import { createMetrics } from './operations/registry.ts';
import { readConfig } from './platform/config.ts';
import { environment } from './platform/environment.ts';
import { createLog } from './platform/log.ts';
import { openStorage } from './platform/open-storage.ts';
import { runProcess } from './platform/run-process.ts';
import { openApi, openDatabase } from './services.ts';

await runProcess(async (scope) => {
  const config = readConfig(environment(), ['DATABASE_URL', 'CNAME_BASE', 'CNAME_SECRET']);
  const plans = readPlans(config.PLANS);
  const log = createLog('api', config.LOG_LEVEL);
  const metrics = createMetrics();
  const storage = observeStorage(await openStorage(config, scope), metrics);
  const database = openDatabase(config.DATABASE_URL, { config, log, metrics, scope });
  const isOpen = await openOperations({ config, log, scope, storage, database }, ownMetrics(metrics, config));
  const parts = { config, log, metrics, scope, storage, database, publicOrigin: config.PUBLIC_ORIGIN };
  const cnameTargets = { base: config.CNAME_BASE, secret: config.CNAME_SECRET };
  await openApi(parts, { plans, cnameTargets, trialNames: [] });
  isOpen();
});
