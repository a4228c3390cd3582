/**
 * A schedule begins the loads of a sitemap (docs/decisions/0075): at its times, when its hook is called, or when a person asks. A sitemap
 * has at most one schedule, so no two runs of a sitemap overlap. A run is a load (docs/decisions/0068).
 *
 *   waits ──due──▶ a load is under way ──it ends──▶ waits
 *            └──the account has no room──▶ waits for a load of the account to end
 *
 * `due_at` is the time at which a process looks at the schedule next. While a process looks, `due_at` is the lease of this process. Each
 * change raises the fence, so a decision about an older state changes nothing.
 */
import { createHash } from 'node:crypto';
import { Refusal } from '../../../platform/refusal.ts';
import type { PlanName } from '../../accounts/plans.ts';
import type { AttemptOutcome } from '../attempt.ts';
import type { AskedLoad } from '../loads/load.ts';
import type { SessionTerms } from '../sessions/session.ts';
import type { Times } from './cron.ts';

/** The number of runs that are kept of each schedule. */
export const KEPT_RUNS = 20;
/** The least minutes between two times of a schedule in any plan. */
const LEAST_MINUTES = 5;

interface PlanSchedules {
  readonly schedules: number;
  /** The least minutes between two times of a schedule. */
  readonly minutes: number;
}

export const SCHEDULES_OF_PLAN: Readonly<Record<PlanName, PlanSchedules>> = {
  free: { schedules: 1, minutes: 1440 },
  starter: { schedules: 5, minutes: 360 },
  pro: { schedules: 20, minutes: 60 },
  business: { schedules: 200, minutes: 15 },
  enterprise: { schedules: 2000, minutes: LEAST_MINUTES },
};

export type RunCause = 'time' | 'hook' | 'person';
/** `skipped` means that the load of the run before was still under way at the planned time. */
type RunOutcome = AttemptOutcome | 'skipped';

/** The load that a schedule begins, without the times of the schedule. */
export interface ScheduledLoad {
  readonly asked: AskedLoad;
  readonly terms: SessionTerms;
}

export interface ScheduleSettings extends ScheduledLoad {
  /** Null: the schedule has no times. Runs begin only by its hook, or when a person asks. */
  readonly times: Times | null;
  /** The time zone of the times, also while there are none. */
  readonly timezone: string;
  readonly isEnabled: boolean;
}

export interface ScheduleRun {
  readonly n: number;
  readonly cause: RunCause;
  readonly plannedAt: Date | null;
  readonly beganAt: Date;
  readonly endedAt: Date | null;
  /** Null while the run is under way. */
  readonly outcome: RunOutcome | null;
  /** Null if the run began no load. */
  readonly uploadId: string | null;
  readonly code: string | null;
  readonly message: string | null;
}

const SPREAD_MS = 60_000;

/** Returns how long after its times a schedule runs, in ms. It is less than a minute, and always the same for a schedule. */
export function spreadMs(id: string): number {
  return createHash('sha256').update(id).digest().readUInt32BE() % SPREAD_MS;
}

export function noSuchSchedule(): Refusal {
  return new Refusal('NOT_FOUND', 'The sitemap has no schedule.');
}

function sayMinutes(minutes: number): string {
  if (minutes === 1440) return 'once a day';
  if (minutes === 60) return 'once an hour';
  return minutes % 60 === 0 ? `once in ${minutes / 60} hours` : `once in ${minutes} minutes`;
}

/** Returns a refusal if the times are too close together for the plan, or undefined. */
export function refuseGap(
  { cron, gapMinutes }: { readonly cron: string | null; readonly gapMinutes: number | null },
  plan: PlanName,
): Refusal | undefined {
  const { minutes } = SCHEDULES_OF_PLAN[plan];
  if (gapMinutes === null || gapMinutes >= minutes) return undefined;
  const message = `cron: the plan ${plan} loads ${sayMinutes(minutes)} at most, and these times are ${gapMinutes} minutes apart`;
  return new Refusal('VALIDATION_ERROR', message, { details: { field: 'cron', value: cron } });
}
