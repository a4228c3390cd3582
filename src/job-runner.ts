/** The jobs as a process of its own. */
import { readConfig } from './platform/config.ts';
import { environment } from './platform/environment.ts';
import { createLog } from './platform/log.ts';
import { runProcess } from './platform/run-process.ts';
import { openDatabase, openJobs, openStorage } from './services.ts';

await runProcess(async (scope) => {
  const config = readConfig(environment(), ['DATABASE_URL']);
  const log = createLog('jobs', config.LOG_LEVEL);
  const storage = await openStorage(config, scope);
  const database = openDatabase(config.DATABASE_URL, { config, log, scope });
  await openJobs({ config, log, scope, storage, database, publicOrigin: config.PUBLIC_ORIGIN });
  log.info({}, 'working on jobs');
});
