/**
 * Looks at a due schedule, and takes one step: it concludes an ended load, skips a run while a load is under way, or begins a run. Each
 * step is one transaction, so a due run begins once, even if a process dies.
 */
import type { WorkQueue } from '../../../core/jobs/start-working-off.ts';
import { shownSitemapName } from '../../../core/sitemap/file-names.ts';
import type { NewId } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/log.ts';
import { type Database, inTransaction, type Transaction } from '../../../platform/postgres/database.ts';
import { LeaseLost } from '../../../platform/postgres/lease.ts';
import { holdCaller } from '../../accounts/hold-caller.ts';
import { emitEvent } from '../../webhooks/emit-event.ts';
import { queueLoad } from '../loads/ask-load.ts';
import { nextTime } from './cron.ts';
import {
  type DueSchedule,
  endRun,
  findLoadOutcome,
  hasLoadEnded,
  insertRun,
  type LoadOutcome,
  putState,
  type ScheduleState,
  takeDueSchedules,
} from './due-schedule-store.ts';
import { type RunCause, refuseGap } from './schedule.ts';

export interface RunScheduleOptions {
  readonly database: Database;
  readonly newId: NewId;
  readonly log: Log;
}

/**
 * The end of a load of the account wakes a schedule that waits for room. If the wake-up is missed, a process looks at the schedule again
 * after this time.
 */
const WAIT_MS = 300_000;

export async function runSchedule(options: RunScheduleOptions, schedule: DueSchedule): Promise<void> {
  try {
    await inTransaction(options.database, (transaction) => step(options, transaction, schedule));
  } catch (error) {
    // The schedule was changed meanwhile, and is due again in its new state.
    if (!(error instanceof LeaseLost)) throw error;
  }
}

async function step(options: RunScheduleOptions, transaction: Transaction, due: DueSchedule): Promise<void> {
  if (due.loadId !== null) {
    const hasEnded = await hasLoadEnded(transaction, due.loadId);
    return hasEnded ? conclude(options, transaction, due) : skip(transaction, due);
  }
  const cause = causeOf(due);
  if (cause === undefined) return rest(transaction, due, due);
  // A run that a person asks for also begins while the schedule is paused.
  const isHeld = due.isSuspended || (cause === 'hook' && !due.isEnabled);
  if (isHeld) return rest(transaction, due, { ...taken(due, cause), runs: due.runs });
  const refusal = cause === 'time' ? refuseGap(due, due.plan) : undefined;
  if (refusal === undefined) return begin(options, transaction, due, cause);
  const outcome = { outcome: 'refused', code: refusal.code, message: refusal.message } as const;
  await rest(transaction, due, await judge(transaction, due, taken(due, cause), outcome, null));
  await insertRun(transaction, due.id, { ...runOf(due, cause), ...outcome, uploadId: null });
}

/** Returns why a run is due now. If a run was asked for and a planned time has come, one run serves the request and the time. */
function causeOf({ askedDueAt, askedBy, now, ...due }: DueSchedule): RunCause | undefined {
  if (askedDueAt !== null && askedDueAt <= now) return askedBy!;
  return isTime({ ...due, now }) ? 'time' : undefined;
}

function isTime({ plannedAt, spreadMs, now }: Pick<DueSchedule, 'plannedAt' | 'spreadMs' | 'now'>): boolean {
  return plannedAt !== null && plannedAt.getTime() + spreadMs <= now.getTime();
}

/** Returns the state after a due run has begun. One run serves all missed times together. */
function taken(due: DueSchedule, cause: RunCause): ScheduleState {
  const isOver = isTime(due);
  const asked = cause === 'time' ? {} : { askedAt: null, askedDueAt: null, askedBy: null };
  return {
    ...due,
    ...asked,
    plannedAt: isOver ? nextPlanned(due) : due.plannedAt,
    runs: due.runs + 1,
    waitsSince: null,
  };
}

/** Returns the first time of the schedule whose run is not due yet. */
function nextPlanned({
  cron,
  timezone,
  plannedAt,
  spreadMs,
  now,
}: Pick<DueSchedule, 'cron' | 'timezone' | 'plannedAt' | 'spreadMs' | 'now'>): Date | null {
  if (cron === null) return null;
  // The clock may have been set back since the last planned time.
  const after = Math.max(plannedAt?.getTime() ?? 0, now.getTime() - spreadMs);
  const next = nextTime({ cron, timezone }, after);
  return next === undefined ? null : new Date(next);
}

async function begin(
  { newId, log }: RunScheduleOptions,
  transaction: Transaction,
  due: DueSchedule,
  cause: RunCause,
): Promise<void> {
  const { id: scheduleId, accountId, domainId, hostname, sitemapName, asked, terms, now } = due;
  const uploadId = newId('upload');
  const load = {
    ...{ id: uploadId, sessionId: newId('session'), accountId, domainId, hostname, sitemapName, asked },
    ...{ keyId: null, userId: null, userSessionId: null, userAgent: null, scheduleId },
  };
  await holdCaller(transaction, { accountId, keyId: null, session: null, address: null, scheduleId });
  if (!(await queueLoad(transaction, load, terms))) {
    const waits = { ...due, waitsSince: due.waitsSince ?? now };
    return putState(transaction, due, waits, new Date(now.getTime() + WAIT_MS));
  }
  await rest(transaction, due, { ...taken(due, cause), loadId: uploadId });
  await insertRun(transaction, scheduleId, {
    ...{ ...runOf(due, cause), uploadId },
    ...{ outcome: null, code: null, message: null },
  });
  log.info({ scheduleId, uploadId, accountId, hostname, cause }, 'scheduled load begins');
}

/** Skips a run if its time has come, because the last load is still under way. */
async function skip(transaction: Transaction, due: DueSchedule): Promise<void> {
  if (!isTime(due)) return rest(transaction, due, due);
  const message = 'The load before it was still under way.';
  const run = { ...runOf(due, 'time'), outcome: 'skipped', uploadId: null, code: null, message } as const;
  await rest(transaction, due, taken(due, 'time'));
  await insertRun(transaction, due.id, run);
}

async function conclude(
  { log }: RunScheduleOptions,
  transaction: Transaction,
  due: DueSchedule,
): Promise<void> {
  const gone: LoadOutcome = { outcome: 'failed', code: null, message: null };
  const ended = (await findLoadOutcome(transaction, due.loadId!)) ?? gone;
  const state = await judge(transaction, due, { ...due, loadId: null }, ended, due.loadId);
  // Change the schedule before its run: a deletion of the schedule locks them in this order.
  await rest(transaction, due, state);
  await endRun(transaction, due, ended);
  log.info({ scheduleId: due.id, uploadId: due.loadId, outcome: ended.outcome }, 'scheduled load ended');
}

/**
 * Emits an event for the first failure in a row, and for the first success after failures. A canceled load counts as neither failure nor
 * success. Returns the state with the failures counted.
 */
async function judge(
  transaction: Transaction,
  due: DueSchedule,
  state: ScheduleState,
  { outcome, code, message }: LoadOutcome,
  uploadId: string | null,
): Promise<ScheduleState> {
  const { accountId, domainId, hostname: domain, failures, failedSince, now } = due;
  const about = { domainId, domain, sitemapName: shownSitemapName(due.sitemapName), uploadId };
  if (outcome === 'canceled') return state;
  if (outcome === 'refused' || outcome === 'failed') {
    if (failures === 0) await emitEvent(transaction, accountId, 'load.failed', { ...about, code, message });
    return { ...state, failures: failures + 1, failedSince: failedSince ?? now };
  }
  if (failures > 0) await emitEvent(transaction, accountId, 'load.recovered', { ...about, failures });
  return { ...state, failures: 0, failedSince: null };
}

function runOf({ runs, plannedAt, ...due }: DueSchedule, cause: RunCause) {
  return { n: runs + 1, cause, plannedAt: isTime({ ...due, plannedAt }) ? plannedAt : null };
}

/**
 * Puts the state and the time of the next look. While a load is under way, the next look is at the next planned time, or earlier if the
 * load ends.
 */
async function rest(transaction: Transaction, due: DueSchedule, state: ScheduleState): Promise<void> {
  await putState(transaction, due, state, dueAtOf(state, due.spreadMs));
}

export function dueAtOf(
  { plannedAt, askedDueAt, loadId }: Pick<ScheduleState, 'plannedAt' | 'askedDueAt' | 'loadId'>,
  spreadMs: number,
): Date | null {
  const due = [plannedAt && plannedAt.getTime() + spreadMs, loadId === null ? askedDueAt?.getTime() : null];
  const times = due.filter((at) => at != null);
  return times.length === 0 ? null : new Date(Math.min(...times));
}

/** The number of schedules that are looked at concurrently. Each takes a connection to Postgres. */
const AT_ONCE = 4;
const POLL_MS = 1000;

/** The queue of schedules that are due. To look at a schedule takes milliseconds, because loads have a queue of their own. */
export function createScheduleQueue(options: RunScheduleOptions): WorkQueue<DueSchedule> {
  return {
    name: 'schedules',
    atOnce: AT_ONCE,
    pollMs: POLL_MS,
    take: (limit) => takeDueSchedules(options.database, limit),
    work: (schedule) => runSchedule(options, schedule),
  };
}
