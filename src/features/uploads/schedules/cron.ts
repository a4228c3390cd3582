/** The times of a schedule: five fields of cron on the clock of a time zone. `croner` interprets the fields. */
import { Cron } from 'croner';
import { invalidField } from '../../../platform/refusal.ts';
import { findTimeZone, type TimeZone } from '../../../platform/time-zone.ts';

export interface Times {
  readonly cron: string;
  /** The name of the zone, as in `UTC` or `Europe/Berlin`. */
  readonly timezone: string;
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
/** The offsets of one time zone from UTC differ by less than 3 hours. */
const MARGIN_MS = 3 * 3_600_000;
const NAMES = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat';
/** The syntax that every cron knows. `croner` takes more: seconds, `L`, `W`, `#`. */
const FIELD = new RegExp(`^(?:[\\d*,/-]|${NAMES})+$`, 'i');

/** Checks the members `cron` and `timezone`. `cron` may have any blanks between its fields. Throws Refusal. */
export function parseTimes(cron: string, timezone: string): Times {
  if (!/^[a-z]/i.test(timezone) || findTimeZone(timezone) === undefined) {
    throw invalidField('timezone', timezone, 'must be the name of a time zone, as in Europe/Berlin');
  }
  const given = cron.trim().split(/\s+/);
  if (given.length !== 5 || !given.every((field) => FIELD.test(field)))
    throw badCron(cron, 'must be five fields, as in `0 6 * * *`');
  const times = { cron: given.join(' '), timezone };
  try {
    if (nextTime(times, Date.UTC(2024, 0, 1)) === undefined) throw badCron(cron, 'has no time');
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    throw badCron(cron, `is not understood: ${error.message.replace('CronPattern: ', '')}`);
  }
  return times;
}

function badCron(value: string, problem: string) {
  return invalidField('cron', value, problem);
}

/**
 * Returns the first time after `afterMs`. If the field of hours begins with `*`, a time counts as often as the clock shows it. With fixed
 * hours, a time that the clock skips counts when the clock goes on, and a time that the clock shows twice counts only the first time.
 */
export function nextTime({ cron, timezone }: Times, afterMs: number): number | undefined {
  if (cron.split(' ')[1]!.startsWith('*')) return next(patternOf(cron, timezone), afterMs);
  const zone = findTimeZone(timezone)!;
  const near = zone.offsetAt(afterMs) ?? zone.offsetAt(afterMs - MARGIN_MS);
  if (near === undefined) return undefined;
  const onWall = patternOf(cron, 'UTC');
  let wall = next(onWall, afterMs + near * MINUTE_MS - MARGIN_MS);
  for (; wall !== undefined; wall = next(onWall, wall)) {
    const at = instantOf(zone, wall);
    if (at === undefined || at > afterMs) return at;
  }
  return undefined;
}

function next(pattern: Cron, afterMs: number): number | undefined {
  return pattern.nextRun(new Date(afterMs))?.getTime();
}

/**
 * Returns the moment when the clock of the zone shows `wall`. If the clock skips `wall`, returns the moment when the clock goes on. `wall`:
 * the ms of the same clock time in UTC. Returns undefined beyond the years for which the zone has rules.
 */
function instantOf(zone: TimeZone, wall: number): number | undefined {
  for (let shown = wall; shown < wall + MARGIN_MS; shown += MINUTE_MS) {
    const offset = zone.offsetAt(shown);
    if (offset !== undefined) return shown - offset * MINUTE_MS;
  }
  return undefined;
}

function patternOf(cron: string, timezone: string): Cron {
  return new Cron(cron, { timezone, mode: '5-part' });
}

export function nextTimes(times: Times, afterMs: number, count: number): number[] {
  const found: number[] = [];
  for (
    let at = nextTime(times, afterMs);
    at !== undefined && found.length < count;
    at = nextTime(times, at)
  ) {
    found.push(at);
  }
  return found;
}

/** Returns the least minutes between two times on the clock, as if each day had times. A result below `enough` need not be exact. */
export function leastGap({ cron }: Pick<Times, 'cron'>, enough: number): number {
  const daily = patternOf(`${cron.split(' ').slice(0, 2).join(' ')} * * *`, 'UTC');
  const [day, end] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2)];
  let least = DAY_MINUTES;
  const first = daily.nextRun(new Date(day - 1))!.getTime();
  for (let at = first; at < end && least >= enough; ) {
    const following = daily.nextRun(new Date(at))!.getTime();
    least = Math.min(least, (following - at) / MINUTE_MS);
    at = following;
  }
  return least;
}
