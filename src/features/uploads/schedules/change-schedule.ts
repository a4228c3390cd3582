/** Sets, changes and deletes the schedule of a sitemap, makes its hook, and asks for a run. Each change is in the audit log. */
import { shownSitemapName } from '../../../core/sitemap/file-names.ts';
import type { NewId } from '../../../platform/ids.ts';
import { type Database, inTransaction, type Transaction } from '../../../platform/postgres/database.ts';
import { Refusal } from '../../../platform/refusal.ts';
import type { Actor } from '../../accounts/actor.ts';
import { type AuditAction, insertAuditEvent } from '../../accounts/audit-store.ts';
import { holdCaller } from '../../accounts/hold-caller.ts';
import { unknownDomain } from '../../accounts/key-scope.ts';
import type { PlanName } from '../../accounts/plans.ts';
import { hashToken, isToken, newToken } from '../../accounts/secret-token.ts';
import { requireConnection } from '../loads/ask-load.ts';
import type { UploadDomain } from '../upload-members.ts';
import { leastGap, nextTime, parseTimes } from './cron.ts';
import { dueAtOf } from './run-schedule.ts';
import { noSuchSchedule, refuseGap, SCHEDULES_OF_PLAN, type ScheduleSettings, spreadMs } from './schedule.ts';
import {
  askRunByHook,
  askRunNow,
  countSchedules,
  deleteScheduleRow,
  findNow,
  insertSchedule,
  lockSchedule,
  type Schedule,
  setHook,
  updateSchedule,
} from './schedule-store.ts';
import { keepSources } from './shown-load.ts';

export interface ScheduledSitemap {
  readonly domain: UploadDomain;
  /** Empty for the unnamed sitemap. */
  readonly sitemapName: string;
}

type Manager = Actor & { readonly plan: PlanName };

interface SetScheduleOptions {
  readonly database: Database;
  readonly newId: NewId;
}

/** The settings that a client gives. */
export interface GivenSchedule extends Partial<Omit<ScheduleSettings, 'times'>> {
  /** Null means that there are no times. Runs begin only by the hook, or when a person asks. */
  readonly cron?: string | null;
  readonly timezone?: string;
}

/** Members that are not given stay as they are. Throws Refusal: NOT_FOUND if there is no schedule, and `given` has no load. */
export async function setSchedule(
  { database, newId }: SetScheduleOptions,
  caller: Manager,
  sitemap: ScheduledSitemap,
  given: GivenSchedule,
): Promise<void> {
  const key = keyOf(sitemap);
  await inTransaction(database, async (transaction) => {
    await holdCaller(transaction, caller);
    // The account is locked, so the connection is not deleted meanwhile.
    if (given.asked !== undefined) await requireConnection(transaction, caller.accountId, given.asked);
    const former = await lockSchedule(transaction, key);
    const settings = merge(former, given);
    const { times, isEnabled } = settings;
    const { schedules, minutes } = SCHEDULES_OF_PLAN[caller.plan];
    const gapMinutes = times && leastGap(times, minutes);
    const cron = times?.cron ?? null;
    const refusal = refuseGap({ cron, gapMinutes }, caller.plan);
    if (refusal !== undefined) throw refusal;
    const id = former?.id ?? newId('schedule');
    const plannedAt = planned(former, settings, former?.now ?? (await findNow(transaction)));
    const dueAt = dueAtOf(
      { plannedAt, askedDueAt: former?.askedDueAt ?? null, loadId: former?.loadId ?? null },
      spreadMs(id),
    );
    const row = {
      ...settings,
      ...{ cron, gapMinutes, plannedAt, dueAt },
    };
    if (former !== undefined) await updateSchedule(transaction, id, row);
    else {
      if ((await countSchedules(transaction, caller.accountId)) >= schedules) throw tooMany(caller.plan);
      const head = { id, accountId: caller.accountId, spreadMs: spreadMs(id) };
      if (!(await insertSchedule(transaction, head, key, row))) throw unknownDomain();
    }
    const details = { ...(times ?? { cron: null }), enabled: isEnabled, load: given.asked !== undefined };
    await audit(transaction, caller, sitemap, 'schedule.set', details);
  });
}

function merge(former: Schedule | undefined, given: GivenSchedule): ScheduleSettings {
  const asked = given.asked ? keepSources(given.asked, former?.asked) : former?.asked;
  const terms = given.terms ?? former?.terms;
  if (asked === undefined || terms === undefined) throw noSuchSchedule();
  const { cron = former?.cron ?? null, timezone = former?.timezone ?? 'UTC' } = given;
  // Without `cron`, check the time zone with any pattern.
  const times = parseTimes(cron ?? '0 0 * * *', timezone);
  return {
    ...{ asked, terms, isEnabled: given.isEnabled ?? former?.isEnabled ?? true },
    // The time zone stays when the times go.
    ...{ timezone: times.timezone, times: cron === null ? null : times },
  };
}

/** Returns the next planned time. If the times are the same as before, the planned time stays, so a run that is due stays due. */
function planned(
  former: Schedule | undefined,
  { times, isEnabled }: ScheduleSettings,
  now: Date,
): Date | null {
  if (times === null || !isEnabled) return null;
  const isSame = times.cron === former?.cron && times.timezone === former.timezone;
  if (isSame && former.plannedAt !== null) return former.plannedAt;
  return new Date(nextTime(times, now.getTime())!);
}

/** Deletes a schedule. A run under way goes on. */
export async function deleteSchedule(
  database: Database,
  caller: Actor,
  sitemap: ScheduledSitemap,
): Promise<void> {
  await inTransaction(database, async (transaction) => {
    await holdCaller(transaction, caller);
    if (!(await deleteScheduleRow(transaction, keyOf(sitemap)))) throw noSuchSchedule();
    await audit(transaction, caller, sitemap, 'schedule.deleted');
  });
}

/** Asks for a run, also if the schedule is paused. If a load of the schedule is under way, the run follows it. */
export async function runScheduleNow(
  database: Database,
  caller: Actor,
  sitemap: ScheduledSitemap,
): Promise<void> {
  await changing(database, caller, sitemap, (transaction, { id }) => askRunNow(transaction, id));
}

/** Returns the token in the address of the hook. The former token is no longer valid. */
export async function makeHook(
  database: Database,
  caller: Actor,
  sitemap: ScheduledSitemap,
): Promise<string> {
  const token = newToken();
  await changing(database, caller, sitemap, async (transaction, { id }) => {
    await setHook(transaction, id, hashToken(token));
    await audit(transaction, caller, sitemap, 'schedule.hook_made');
  });
  return token;
}

export async function deleteHook(
  database: Database,
  caller: Actor,
  sitemap: ScheduledSitemap,
): Promise<void> {
  await changing(database, caller, sitemap, async (transaction, { id, hasHook }) => {
    if (!hasHook) return;
    await setHook(transaction, id, null);
    await audit(transaction, caller, sitemap, 'schedule.hook_deleted');
  });
}

/** Asks for a run by the token of a hook. Returns false if the schedule is paused: then there is no run. Throws Refusal NOT_FOUND. */
export async function callHook(database: Database, token: string): Promise<boolean> {
  const isEnabled = isToken(token) ? await askRunByHook(database, hashToken(token)) : undefined;
  if (isEnabled === undefined) throw new Refusal('NOT_FOUND', 'There is no such hook.');
  return isEnabled;
}

async function changing(
  database: Database,
  caller: Actor,
  sitemap: ScheduledSitemap,
  change: (transaction: Transaction, schedule: Schedule) => Promise<void>,
): Promise<void> {
  await inTransaction(database, async (transaction) => {
    await holdCaller(transaction, caller);
    const schedule = await lockSchedule(transaction, keyOf(sitemap));
    if (schedule === undefined) throw noSuchSchedule();
    await change(transaction, schedule);
  });
}

function keyOf({ domain, sitemapName }: ScheduledSitemap) {
  return { domainId: domain.id, sitemapName };
}

async function audit(
  transaction: Transaction,
  caller: Actor,
  { domain, sitemapName }: ScheduledSitemap,
  action: AuditAction,
  details: object = {},
): Promise<void> {
  await insertAuditEvent(transaction, caller, {
    ...{ action, subject: domain.hostname },
    details: { domainId: domain.id, sitemapName: shownSitemapName(sitemapName), ...details },
  });
}

function tooMany(plan: PlanName): Refusal {
  const { schedules } = SCHEDULES_OF_PLAN[plan];
  const message = `The plan allows ${schedules} ${schedules === 1 ? 'schedule' : 'schedules'}.`;
  return new Refusal('VALIDATION_ERROR', message, { details: { limit: schedules } });
}
