/** Opens the room for operations that show crawls. A job imports crawls by `import-crawls.ts`. */
import type { Database } from '../../platform/postgres/database.ts';
import { verbsOn } from '../../platform/verb.ts';
import { listFileErrors, listFileVisits, listNewestVisits } from './file-crawl-store.ts';

export type Crawls = ReturnType<typeof openCrawls>;

export function openCrawls(database: Database) {
  return verbsOn(database, { listVisits: listFileVisits, listNewestVisits, listErrors: listFileErrors });
}
