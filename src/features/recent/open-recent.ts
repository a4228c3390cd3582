/**
 * Opens the room for operations that switch and show the sitemap of recent changes. In jobs processes, `recent-queue.ts` writes that
 * sitemap.
 */
import type { Database } from '../../platform/postgres/database.ts';
import { verbsOn } from '../../platform/verb.ts';
import type { OpenChange } from '../domains/domain.ts';
import { changeRecent } from './change-recent.ts';
import { findRecentSummary } from './recent-store.ts';

export interface OpenRecentOptions {
  readonly database: Database;
  readonly openChange: OpenChange;
}

export type Recent = ReturnType<typeof openRecent>;

export function openRecent(options: OpenRecentOptions) {
  return {
    ...verbsOn(options, { change: changeRecent }),
    ...verbsOn(options.database, { find: findRecentSummary }),
  };
}
