/** Deletes the schedule of a sitemap that is deleted, and cancels its load, because the commit of the load would bring the sitemap back. */
import type { Transaction } from '../../../platform/postgres/database.ts';
import { cancelFound } from '../loads/cancel-load.ts';
import { findLoad } from '../loads/load-store.ts';
import { deleteScheduleOf, findSchedule, type ScheduleKey } from './schedule-store.ts';

/** The caller has locked the domain. In transactions, loads are locked before schedules. */
export async function endSchedule(transaction: Transaction, key: ScheduleKey): Promise<void> {
  for (;;) {
    const schedule = await findSchedule(transaction, key);
    if (schedule === undefined) return;
    const { id, accountId, loadId } = schedule;
    const load = loadId === null ? undefined : await findLoad(transaction, accountId, loadId);
    if (load !== undefined && !load.hasEnded) await cancelFound(transaction, load);
    // A process may have begun the next load meanwhile. Then look again.
    if (await deleteScheduleOf(transaction, id, loadId)) return;
  }
}
