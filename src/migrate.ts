/** Brings the database at DATABASE_URL to the schema of this version. */
import { readConfig } from './platform/config.ts';
import { connectDatabase } from './platform/database.ts';
import { environment } from './platform/environment.ts';
import { createLog } from './platform/log.ts';
import { migrate } from './platform/migrate.ts';
import { print } from './platform/print.ts';
import { reportFailure } from './platform/run-process.ts';

try {
  const config = readConfig(environment(), ['DATABASE_URL']);
  const log = createLog('migrate', config.LOG_LEVEL);
  // No deadline: a migration may rewrite a large table.
  const database = connectDatabase(config.DATABASE_URL, 2, log, 0);
  const applied = await migrate(database);
  await database.end();
  print(applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}.`);
} catch (error) {
  process.exitCode = reportFailure(error);
}
