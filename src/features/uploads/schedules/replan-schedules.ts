/**
 * Plans schedules anew after the clock of the database was ahead: what was decided by that clock would wait until it is that late. A
 * clock that was ahead by less than an hour runs no time twice.
 */
import { recordLook } from '../../../core/jobs/record-look.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { nextTime } from './cron.ts';
import { dueAtOf } from './run-schedule.ts';
import { listLater, moveBack, type PlannedSchedule } from './schedule-store.ts';

const PORTION = 1000;

export async function replanSchedules(database: Database): Promise<void> {
  if (await recordLook(database, 'schedules')) return;
  for (let after = ''; ; ) {
    const rows = await listLater(database, after, PORTION);
    for (const row of rows) {
      const plannedAt = plan(row);
      const dueAt = dueAtOf({ ...row, plannedAt }, row.spreadMs);
      if (dueAt !== null && dueAt < row.dueAt) await moveBack(database, row, { ...row, plannedAt, dueAt });
    }
    if (rows.length < PORTION) return;
    after = rows.at(-1)!.id;
  }
}

function plan({ cron, timezone, plannedAt, lastAt, now }: PlannedSchedule): Date | null {
  if (cron === null || plannedAt === null) return plannedAt;
  const next = nextTime({ cron, timezone }, Math.max(now.getTime(), lastAt?.getTime() ?? 0));
  return next !== undefined && next < plannedAt.getTime() ? new Date(next) : plannedAt;
}
