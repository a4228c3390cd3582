/** Opens the room for operations that switch and show the sitemap of recent changes. `recent-queue.ts` writes its files. */
import type { Database } from '../../platform/postgres/database.ts';
import { verbsOn } from '../../platform/verb.ts';
import type { OpenChange } from '../domains/domain.ts';
import { changeRecent } from './change-recent.ts';
import { findRecentSummary } from './recent-store.ts';

export type Recent = ReturnType<typeof openRecent>;

export function openRecent(options: { readonly database: Database; readonly openChange: OpenChange }) {
  return {
    ...verbsOn(options, { change: changeRecent }),
    ...verbsOn(options.database, { find: findRecentSummary }),
  };
}
