/** The queue of schedules that are due. To look at a schedule takes milliseconds, because loads have a queue of their own. */
import type { WorkQueue } from '../../../core/jobs/start-working-off.ts';
import { type DueSchedule, takeDueSchedules } from './due-schedule-store.ts';
import { type RunScheduleOptions, runSchedule } from './run-schedule.ts';

/** The number of schedules that are looked at concurrently. Each takes a connection to Postgres. */
const AT_ONCE = 4;
const POLL_MS = 1000;

export function createScheduleQueue(options: RunScheduleOptions): WorkQueue<DueSchedule> {
  return {
    name: 'schedules',
    atOnce: AT_ONCE,
    pollMs: POLL_MS,
    take: (limit) => takeDueSchedules(options.database, limit),
    work: (schedule) => runSchedule(options, schedule),
  };
}
