/** Opens the room for routes that list or check the hosts of a domain's pages. */
import type { Database } from '../../platform/postgres/database.ts';
import { verbsOn } from '../../platform/verb.ts';
import { askForCheck } from './ask-for-check.ts';
import { listPageHosts } from './page-host-store.ts';

export type PageHosts = ReturnType<typeof openPageHosts>;

export function openPageHosts(database: Database) {
  return verbsOn(database, { list: listPageHosts, askForCheck });
}
