/** The API as a process of its own. */
import { readPlans } from './accounts/plans.ts';
import { readConfig } from './platform/config.ts';
import { environment } from './platform/environment.ts';
import { createLog } from './platform/log.ts';
import { runProcess } from './platform/run-process.ts';
import { openApi, openDatabase, openStorage } from './services.ts';

await runProcess(async (scope) => {
  const config = readConfig(environment(), ['DATABASE_URL', 'CNAME_BASE', 'CNAME_SECRET']);
  const plans = readPlans(config.PLANS);
  const log = createLog('api', config.LOG_LEVEL);
  const storage = await openStorage(config, scope);
  const database = openDatabase(config.DATABASE_URL, { config, log, scope });
  const parts = { config, log, scope, storage, database, publicOrigin: config.PUBLIC_ORIGIN };
  const cnameTargets = { base: config.CNAME_BASE, secret: config.CNAME_SECRET };
  await openApi(parts, { plans, cnameTargets, allowLocalhost: false });
});
