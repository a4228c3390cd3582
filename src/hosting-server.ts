/** The hosting server as a process of its own: the part that the whole internet reaches. It has no database. */
import { readConfig } from './platform/config.ts';
import { environment } from './platform/environment.ts';
import { createLog } from './platform/log.ts';
import { runProcess } from './platform/run-process.ts';
import { openHosting, openStorage } from './services.ts';

await runProcess(async (scope) => {
  const config = readConfig(environment());
  const log = createLog('hosting', config.LOG_LEVEL);
  const storage = await openStorage(config, scope);
  await openHosting({ config, log, scope, storage });
});
