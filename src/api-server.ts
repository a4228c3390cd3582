/** The API as a process of its own. */
import { openApi } from './compose/open-api.ts';
import { openDatabase } from './compose/open-database.ts';
import { openLivePlans } from './compose/open-live-plans.ts';
import { openProcess } from './compose/open-process.ts';
import { makeStorage, openStorage } from './compose/open-storage.ts';
import { ownStorage, reportForeign } from './compose/own-storage.ts';
import { readConfig } from './core/config/config.ts';
import { readPlans } from './features/accounts/plans.ts';
import { openOperations, ownMetrics } from './operations/open-operations.ts';
import { environment } from './platform/process/environment.ts';
import { runProcess } from './platform/process/run-process.ts';

await runProcess(async (scope) => {
  const config = readConfig(environment(), ['DATABASE_URL', 'CNAME_BASE', 'CNAME_SECRET']);
  const defaults = readPlans(config.PLANS);
  const opened = await openProcess('api', config, scope, openStorage);
  const database = openDatabase(config.DATABASE_URL, opened);
  const { storage, check } = ownStorage(opened.storage, database, () => makeStorage(config));
  const common = { ...opened, storage };
  const livePlans = await openLivePlans({ ...common, database, defaults });
  const isOpen = await openOperations({ ...common, database }, ownMetrics(common.metrics, config));
  const cnameTargets = { base: config.CNAME_BASE, secret: config.CNAME_SECRET };
  const { PUBLIC_ORIGIN: publicOrigin } = config;
  await openApi({ ...common, database, publicOrigin, livePlans, cnameTargets, trialNames: [] });
  isOpen();
  await reportForeign(check, common.log);
});
