/** Brings the database at DATABASE_URL to the schema of this version. */
import { readConfig } from './core/config/config.ts';
import { migrate } from './core/schema/migrate.ts';
import { createLog } from './platform/log.ts';
import { createDatabasePool } from './platform/postgres/database.ts';
import { reachDatabase } from './platform/postgres/reach-database.ts';
import { environment } from './platform/process/environment.ts';
import { outliveReader, print } from './platform/process/print.ts';
import { reportFailure } from './platform/process/run-process.ts';

outliveReader();
try {
  const config = readConfig(environment(), ['DATABASE_URL']);
  const log = createLog('migrate', config.LOG_LEVEL);
  // No deadline: a migration may rewrite a large table.
  const database = createDatabasePool(config.DATABASE_URL, 2, log, 0);
  await reachDatabase(database);
  const applied = await migrate(database, {
    onApplied: (name) => print(`Applied ${name}.`),
    onWait: () => print('Another process migrates this database. This one waits for it.'),
  });
  await database.end();
  if (applied.length === 0) print('The database is up to date.');
} catch (error) {
  process.exitCode = reportFailure(error);
}
