/** Operations of schedules, which begin loads at set times or when a hook is called (docs/decisions/0075). */
import { z } from 'zod';
import { givenSitemapName, isSitemapName, shownSitemapName } from '../../core/sitemap/file-names.ts';
import { queryText } from '../../core/web/query-text.ts';
import type { OwnDomain } from '../../features/domains/own-domain.ts';
import type { Uploads } from '../../features/uploads/open-uploads.ts';
import type { GivenSchedule } from '../../features/uploads/schedules/change-schedule.ts';
import { nextTimes, parseTimes, type Times } from '../../features/uploads/schedules/cron.ts';
import { sayTimes } from '../../features/uploads/schedules/say-cron.ts';
import { noSuchSchedule, type ScheduleRun } from '../../features/uploads/schedules/schedule.ts';
import type { Schedule } from '../../features/uploads/schedules/schedule-store.ts';
import { showLoad } from '../../features/uploads/schedules/shown-load.ts';
import { isoSeconds, withShownTimes } from '../../platform/iso-seconds.ts';
import { invalidField, withinMember } from '../../platform/refusal.ts';
import { coveredNames } from './covered-names.ts';
import { loadShape, parseLoad } from './load-body.ts';
import { type Call, operation, tagged } from './operation.ts';
import { parseSession } from './session-body.ts';
import {
  answered,
  answeredPage,
  count,
  described,
  done,
  id,
  jsonBody,
  PAGE_QUERY,
  type Shown,
  text,
  time,
} from './shapes.ts';

export interface ScheduleNeeds {
  readonly uploads: Uploads;
  readonly ownDomain: OwnDomain;
}

const NEXT = 3;

/**
 * The members of a load that a schedule does not take. The path names the domain and the sitemap. `ifGeneration` and `force` are meant for
 * one publication, and a schedule makes many.
 */
const OF_ONE = ['domain', 'sitemapName', 'ifGeneration', 'force'];
const ofLoad = z.strictObject(
  Object.fromEntries(Object.entries(loadShape.shape).filter(([name]) => !OF_ONE.includes(name))),
);

const set = {
  cron: described(
    text.nullable(),
    'Five fields: minute, hour, day of the month, month, day of the week, as in `0 6 * * *`. Null: no times, only a hook.',
  ).optional(),
  timezone: described(
    text,
    'Whose clock the times are on, as in `Europe/Berlin`. The default is `UTC`.',
  ).optional(),
  load: described(
    ofLoad,
    'What to load: the members of `POST /api/sitemap/load` without `domain`, `sitemapName`, `ifGeneration` and `force`. ' +
      'An address that is sent as it was shown, with `?…`, stays as it is.',
  ),
  enabled: described(z.boolean(), 'False: it is paused. Only a person or a key can run it then.').optional(),
};

const EXAMPLE_LOAD = { sources: ['https://www.example.com/sitemap_index.xml'], onMissing: 'skip' };
const EXAMPLE_SET = { cron: '0 6 * * *', timezone: 'Europe/Berlin', load: EXAMPLE_LOAD };

const runShape = z
  .object({
    cause: described(z.enum(['time', 'hook', 'person']), 'Why it ran.'),
    plannedAt: described(time.nullable(), 'The time that it stands for. Null if it was asked for.'),
    beganAt: time,
    endedAt: described(time.nullable(), 'Null while it is under way.'),
    outcome: described(
      z.enum(['published', 'unchanged', 'refused', 'held', 'failed', 'canceled', 'skipped']).nullable(),
      'As of an upload. Null while it is under way. `skipped`: the load before it was still under way.',
    ),
    uploadId: described(id('upload').nullable(), 'Its upload. Null if it did not come to a load.'),
    code: described(text.nullable(), 'Of the error.'),
    message: described(text.nullable(), 'Of the error, for people.'),
  })
  .meta({ id: 'ScheduleRun' });

const summary = {
  sitemapName: described(text, '`default` for the unnamed sitemap.'),
  cron: text.nullable(),
  timezone: text,
  words: described(text.nullable(), 'The times, for people. Null without any.'),
  enabled: z.boolean(),
  load: described(
    z.object({ sources: z.array(text) }).catchall(z.unknown()),
    'What it loads, without members that are left to their defaults. Queries of addresses are shown as `?…`.',
  ),
  hook: described(z.boolean(), 'Whether it has a hook.'),
  nextRuns: described(
    z.array(time).max(NEXT),
    'The next times. A run begins within a minute after its time, always as long after it.',
  ),
  asked: described(z.boolean(), 'Whether a run was asked for that has not begun.'),
  waiting: described(z.boolean(), 'Whether a run waits until another load of your account ends.'),
  uploadId: described(id('upload').nullable(), 'The load under way.'),
  failures: described(count, 'Runs in a row that failed.'),
  failingSince: time.nullable(),
  createdAt: time,
};
const summaryShape = z.object(summary).meta({ id: 'ScheduleSummary' });
const scheduleShape = z
  .object({ ...summary, runs: described(z.array(runShape).max(20), 'The last 20, the newest first.') })
  .meta({ id: 'Schedule' });

const SUMMARY = {
  sitemapName: 'products',
  cron: '0 6 * * *',
  timezone: 'Europe/Berlin',
  words: 'Every day at 06:00 Europe/Berlin',
  enabled: true,
  load: { ...EXAMPLE_LOAD, sizeLimit: 'standard', onInvalid: 'fail', maxRejected: 0 },
  hook: false,
  nextRuns: ['2026-01-16T05:00:00Z', '2026-01-17T05:00:00Z', '2026-01-18T05:00:00Z'],
  asked: false,
  waiting: false,
  uploadId: null,
  failures: 0,
  failingSince: null,
  createdAt: '2026-01-10T10:00:00Z',
};
const EXAMPLE = {
  ...SUMMARY,
  runs: [
    {
      cause: 'time',
      plannedAt: '2026-01-15T05:00:00Z',
      beganAt: '2026-01-15T05:00:23Z',
      endedAt: '2026-01-15T05:01:02Z',
      outcome: 'published',
      uploadId: 'upload_2c4v8PXeY16He1Yn79PlDs',
      code: null,
      message: null,
    },
  ],
};

const path = '/api/domains/{id}/sitemaps/{name}/schedule';
const NONE = 'Or the sitemap has no schedule.';
const manage = { actions: ['domains'], to: 'sitemap' } as const;

type OfSitemap = Pick<Call<typeof path, unknown>, 'caller' | 'path'>;

export const scheduleOperations = tagged('Schedules', [
  operation('put', path, {
    id: 'setSchedule',
    access: manage,
    summary: 'Sets the schedule of a sitemap',
    description:
      'The sitemap need not be there yet. The schedule acts for your account: it goes on if the key is revoked.',
    body: jsonBody(z.strictObject(set), EXAMPLE_SET),
    answer: answered(200, 'The schedule.', scheduleShape, { ...EXAMPLE, runs: [] }),
    async run(needs: ScheduleNeeds, call) {
      const sitemap = await sitemapOf(needs, call);
      const given = await call.members();
      if (!given.has('load')) throw invalidField('load', undefined, 'is required');
      const whole = { cron: null, timezone: 'UTC', isEnabled: true, ...parseSet(given) };
      await needs.uploads.setSchedule(call.caller, sitemap, whole);
      return show(needs, call);
    },
  }),
  operation('patch', path, {
    id: 'changeSchedule',
    access: manage,
    summary: 'Changes or pauses the schedule of a sitemap',
    description: 'Members that the body does not have stay as they are.',
    body: jsonBody(z.strictObject({ ...set, load: set.load.optional() }), { enabled: false }),
    answer: answered(200, 'The schedule.', scheduleShape, { ...EXAMPLE, enabled: false, nextRuns: [] }),
    errors: { NOT_FOUND: NONE },
    async run(needs: ScheduleNeeds, call) {
      await needs.uploads.setSchedule(
        call.caller,
        await sitemapOf(needs, call),
        parseSet(await call.members()),
      );
      return show(needs, call);
    },
  }),
  operation('get', path, {
    id: 'getSchedule',
    access: { actions: ['read'], to: 'sitemap' },
    summary: 'Shows the schedule of a sitemap, with its last runs',
    answer: answered(200, 'The schedule.', scheduleShape, EXAMPLE),
    errors: { NOT_FOUND: NONE },
    run: (needs: ScheduleNeeds, call) => show(needs, call),
  }),
  operation('delete', path, {
    id: 'deleteSchedule',
    access: manage,
    summary: 'Deletes the schedule of a sitemap',
    description: 'The sitemap stays. A load under way goes on.',
    answer: answered(200, 'The schedule is deleted.', z.object({ deleted: done }), { deleted: true }),
    errors: { NOT_FOUND: NONE },
    async run(needs: ScheduleNeeds, call) {
      await needs.uploads.deleteSchedule(call.caller, await sitemapOf(needs, call));
      return { deleted: true as const };
    },
  }),
  operation('post', `${path}/run`, {
    id: 'runSchedule',
    access: { actions: ['upload'], to: 'sitemap' },
    summary: 'Runs a schedule now',
    description: 'Also one that is paused. While a load of it is under way, one more follows.',
    answer: answered(
      202,
      'It runs soon.',
      z.object({ status: z.literal('queued') }).meta({ id: 'AskedRun' }),
      {
        status: 'queued',
      },
    ),
    errors: { NOT_FOUND: NONE },
    async run(needs: ScheduleNeeds, call) {
      await needs.uploads.runScheduleNow(call.caller, await sitemapOf(needs, call));
      return { status: 'queued' as const };
    },
  }),
  operation('post', `${path}/hook`, {
    id: 'makeScheduleHook',
    access: manage,
    summary: 'Makes the hook of a schedule',
    description:
      'Whoever knows its address can run the schedule, and nothing else. It is not shown again. The former address is worth nothing any more.',
    answer: answered(
      201,
      'The hook.',
      z.object({ path: described(text, 'Of its address. It is a secret.') }).meta({ id: 'ScheduleHook' }),
      { path: '/api/hooks/3q2-7wABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijk' },
    ),
    errors: { NOT_FOUND: NONE },
    async run(needs: ScheduleNeeds, call) {
      const token = await needs.uploads.makeHook(call.caller, await sitemapOf(needs, call));
      return { path: `/api/hooks/${token}` };
    },
  }),
  operation('delete', `${path}/hook`, {
    id: 'deleteScheduleHook',
    access: manage,
    summary: 'Deletes the hook of a schedule',
    answer: answered(200, 'There is no hook.', z.object({ deleted: done }), { deleted: true }),
    errors: { NOT_FOUND: NONE },
    async run(needs: ScheduleNeeds, call) {
      await needs.uploads.deleteHook(call.caller, await sitemapOf(needs, call));
      return { deleted: true as const };
    },
  }),
  operation('get', '/api/domains/{id}/schedules', {
    id: 'listSchedules',
    access: { actions: ['read'], to: 'sitemaps' },
    summary: 'Lists the schedules of a domain, by sitemap',
    query: {
      ...PAGE_QUERY,
      sitemap: described(text, 'Only that of this sitemap, if it has one; `default` is the unnamed one.'),
    },
    answer: answeredPage('A page of schedules.', summaryShape, SUMMARY),
    async run(needs: ScheduleNeeds, { caller, path: { id: given }, request: { query }, page }) {
      const { id: domainId } = await needs.ownDomain(caller.accountId, given);
      const names = coveredNames(queryText(query, 'sitemap'), caller.scope?.sitemapNames ?? null);
      return page({
        list: `schedules of ${domainId} ${JSON.stringify(names)}`,
        read: (limit, after) => needs.uploads.listSchedules(domainId, limit, after, names),
        positionOf: ({ sitemapName }) => sitemapName,
        show: summarize,
      });
    },
  }),
  operation('get', '/api/schedules/preview', {
    id: 'previewSchedule',
    access: { actions: ['read', 'domains'], to: 'nothing' },
    summary: 'Shows the next times of a cron expression',
    query: {
      cron: described(text, 'As in `0 6 * * *`.'),
      timezone: described(text, 'As in `Europe/Berlin`.'),
    },
    requiredQuery: { cron: '0 6 * * *' },
    answer: answered(
      200,
      'Its next times.',
      z.object({ words: text, nextRuns: z.array(time).max(NEXT) }).meta({ id: 'SchedulePreview' }),
      { words: SUMMARY.words, nextRuns: SUMMARY.nextRuns },
    ),
    async run({ uploads }: ScheduleNeeds, { request: { query } }) {
      const cron = queryText(query, 'cron');
      if (cron === undefined) throw invalidField('cron', undefined, 'is required');
      const times = parseTimes(cron, queryText(query, 'timezone') ?? 'UTC');
      return { words: sayTimes(times), nextRuns: shownTimes(times, await uploads.findNow()) };
    },
  }),
]);

async function sitemapOf({ ownDomain }: ScheduleNeeds, { caller, path: { id: domainId, name } }: OfSitemap) {
  const domain = await ownDomain(caller.accountId, domainId);
  const sitemapName = givenSitemapName(name);
  if (sitemapName !== '' && !isSitemapName(sitemapName)) {
    throw invalidField('name', name, 'must be the name of a sitemap: letters, digits, - and _');
  }
  return { domain, sitemapName };
}

function parseSet(given: ReadonlyMap<string, unknown>): GivenSchedule {
  const take = <T>(name: 'cron' | 'timezone' | 'enabled', schema: z.ZodType<T>, message: string): T => {
    const parsed = schema.safeParse(given.get(name));
    if (!parsed.success) throw invalidField(name, given.get(name), message);
    return parsed.data;
  };
  return {
    ...(given.has('cron') && {
      cron: take('cron', z.string().max(200).nullable(), 'must be five fields, as in `0 6 * * *`'),
    }),
    ...(given.has('timezone') && {
      timezone: take('timezone', z.string().max(100), 'must be the name of a time zone, as in Europe/Berlin'),
    }),
    ...(given.has('enabled') && { isEnabled: take('enabled', z.boolean(), 'must be true or false') }),
    ...(given.has('load') && parseScheduledLoad(given.get('load'))),
  };
}

function parseScheduledLoad(load: unknown): Pick<GivenSchedule, 'asked' | 'terms'> {
  if (typeof load !== 'object' || load === null || Array.isArray(load)) {
    throw invalidField('load', load, 'must have the members of a load');
  }
  const members = new Map(Object.entries(load));
  return withinMember('load', () => {
    const unknown = [...members.keys()].find((name) => !Object.hasOwn(ofLoad.shape, name));
    if (unknown !== undefined) throw invalidField(unknown, undefined, 'is no member of a load by schedule');
    const { terms } = parseSession(new Map([...members, ['domain', 'schedule.example.com']]));
    return { asked: parseLoad(members), terms };
  });
}

async function show(needs: ScheduleNeeds, call: OfSitemap): Promise<Shown<typeof scheduleShape>> {
  const { domain, sitemapName } = await sitemapOf(needs, call);
  const schedule = await needs.uploads.findSchedule({ domainId: domain.id, sitemapName });
  if (schedule === undefined) throw noSuchSchedule();
  const runs = await needs.uploads.listRuns(schedule.id);
  return { ...summarize(schedule), runs: runs.map(describeRun) };
}

function summarize(schedule: Schedule): Shown<typeof summaryShape> {
  const { cron, timezone, isEnabled, failedSince, plannedAt, now } = schedule;
  const times = cron === null ? null : { cron, timezone };
  return {
    sitemapName: shownSitemapName(schedule.sitemapName),
    ...{ cron, timezone, words: times && sayTimes(times), enabled: isEnabled, load: showLoad(schedule) },
    hook: schedule.hasHook,
    // `nextTimes` leaves out the time that it gets, so it gets the millisecond before `plannedAt`. If `plannedAt` is over, the run is due
    // now, and the times after now are shown.
    nextRuns:
      times && plannedAt ? shownTimes(times, plannedAt > now ? new Date(plannedAt.getTime() - 1) : now) : [],
    ...{ asked: schedule.askedAt !== null, waiting: schedule.waitsSince !== null, uploadId: schedule.loadId },
    ...{ failures: schedule.failures, failingSince: failedSince && isoSeconds(failedSince) },
    createdAt: isoSeconds(schedule.createdAt),
  };
}

function shownTimes(times: Times, after: Date): string[] {
  return nextTimes(times, after.getTime(), NEXT).map((at) => isoSeconds(new Date(at)));
}

function describeRun({ n: _, ...run }: ScheduleRun): Shown<typeof runShape> {
  return { ...withShownTimes(run), outcome: run.outcome as Shown<typeof runShape>['outcome'] };
}
