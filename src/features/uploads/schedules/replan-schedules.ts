/**
 * Plans schedules again after the clock of the database was ahead. Otherwise they wait until the correct clock has reached the times that
 * were planned by the wrong one. If the clock was ahead by less than an hour, no time runs twice.
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
      // The end of a load makes its schedule due, by the clock of that moment.
      const dueAt = row.hasLoadEnded ? row.now : dueAtOf({ ...row, plannedAt }, row.spreadMs);
      if (dueAt !== null && (row.dueAt === null || dueAt < row.dueAt))
        await moveBack(database, row, { ...row, plannedAt, dueAt });
    }
    if (rows.length < PORTION) return;
    after = rows.at(-1)!.id;
  }
}

function plan({ cron, timezone, plannedAt, lastAt, now }: PlannedSchedule): Date | null {
  if (cron === null) return plannedAt;
  const next = nextTime({ cron, timezone }, Math.max(now.getTime(), lastAt?.getTime() ?? 0));
  if (next === undefined) return plannedAt;
  // A clock beyond the year 2100 leaves a schedule without its next time.
  return plannedAt === null || next < plannedAt.getTime() ? new Date(next) : plannedAt;
}
