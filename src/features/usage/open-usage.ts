/** Opens the room for the edges that show usage. */
import type { Database } from '../../platform/postgres/database.ts';
import { verbsOn } from '../../platform/verb.ts';
import { listAccountUsage, readUsage } from './read-usage.ts';

export type Usage = ReturnType<typeof openUsage>;

export function openUsage(database: Database) {
  return verbsOn(database, { read: readUsage, ofAccounts: listAccountUsage });
}
