/** The jobs as a process of its own. */
import { keyRingOf } from './compose/key-ring-of.ts';
import { openAuthorities } from './compose/open-authorities.ts';
import { openDatabase } from './compose/open-database.ts';
import { openLivePlans } from './compose/open-live-plans.ts';
import { openProcess } from './compose/open-process.ts';
import { makeStorage, openStorage } from './compose/open-storage.ts';
import { ownStorage } from './compose/own-storage.ts';
import { startJobs } from './compose/start-jobs.ts';
import { readConfig } from './core/config/config.ts';
import { createDatabaseCheck } from './core/schema/check-schema.ts';
import { readPlans } from './features/accounts/plans.ts';
import { openOperations, ownMetrics } from './operations/open-operations.ts';
import { environment } from './platform/process/environment.ts';
import { runProcess } from './platform/process/run-process.ts';

await runProcess(async (scope) => {
  const config = readConfig(environment(), ['DATABASE_URL']);
  const defaults = readPlans(config.PLANS);
  const opened = await openProcess('jobs', config, scope, openStorage);
  const database = openDatabase(config.DATABASE_URL, opened);
  await createDatabaseCheck(database)();
  const { storage, check } = ownStorage(opened.storage, database, () => makeStorage(config));
  await check();
  const common = { ...opened, storage };
  const { plans } = await openLivePlans({ ...common, database, defaults });
  const isOpen = await openOperations({ ...common, database }, ownMetrics(common.metrics, config));
  const options = { ...common, database, publicOrigin: config.PUBLIC_ORIGIN };
  await startJobs(options, plans, openAuthorities(options, keyRingOf(config)));
  isOpen();
  common.log.info({}, 'working on jobs');
});
