/** The functions of this folder that routes call. They list the hosts of a domain's pages, and make these hosts due for a check. */
import type { Database } from '../../platform/postgres/database.ts';
import { verbsOn } from '../../platform/verb.ts';
import { askForCheck, checkUnwell } from './ask-for-check.ts';
import { listPageHosts } from './page-host-store.ts';

export type PageHosts = ReturnType<typeof openPageHosts>;

export function openPageHosts(database: Database) {
  return { ...verbsOn(database, { list: listPageHosts, askForCheck }), checkUnwell };
}
