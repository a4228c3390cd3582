/** Writes numbers and times for people. Days come before months, and months are words, so that 3/4 does not occur. */
import { timeNow } from '../api/clock.ts';

const LOCALE = 'en-GB';

const whole = new Intl.NumberFormat('en');
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 0 });
const date = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium' });
/** With the zone, because people send these times to each other. */
const dateTime = new Intl.DateTimeFormat(LOCALE, {
  ...({ day: 'numeric', month: 'short', year: 'numeric' } as const),
  ...({ hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const),
});
const shortClock = new Intl.DateTimeFormat(LOCALE, { timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto', style: 'short' });
/** Days in answers of the service are in UTC. */
const dayName = new Intl.DateTimeFormat(LOCALE, { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** Writes a number as in 12,400,312. */
export const count = (n: number) => whole.format(n);
const shortest = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });
/** Writes a number with at most three digits, as in 12.4M or 447K. */
export const tinyCount = (n: number) => (n < 1000 ? whole : shortest).format(n);
/** Writes a part of a whole, as in 40%. */
export const share = (part: number, of: number) => percent.format(of === 0 ? 0 : part / of);
/** Says a difference as in "+1.2M in 7 days". Undefined if there is no difference, or if `before` is not known. */
export function weekOf(now: number, before: number | null): string | undefined {
  if (before === null || now === before) return undefined;
  return `${now > before ? '+' : '−'}${tinyCount(Math.abs(now - before))} in 7 days`;
}
/** Writes a day as in 23 Oct. */
export const shortDay = (day: string) => dayName.format(new Date(day));
export const calendarDay = (iso: string) => date.format(new Date(iso));
/** Writes a time as in 22 Nov 2026, 18:02 CET. */
export const dayAndTime = (iso: string) => dateTime.format(new Date(iso));
/** Writes a time of day as in 18:02. */
export const shortTime = (ms: number) => shortClock.format(ms);

const nearDay = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short' });

/** Says a day as in `today`, `tomorrow`, `21 Dec` or `3 Jan 2027`, by the reader's clock. */
export function dayInWords(iso: string, now = timeNow()): string {
  const at = new Date(iso);
  const is = (days: number) => daysAfter(now, days).toDateString() === at.toDateString();
  if (is(0)) return 'today';
  if (is(1)) return 'tomorrow';
  if (is(-1)) return 'yesterday';
  const isThisYear = new Date(now).getFullYear() === at.getFullYear();
  return isThisYear ? nearDay.format(at) : `${nearDay.format(at)} ${at.getFullYear()}`;
}

/** A day has 23 or 25 hours when clocks change, so this counts days of the calendar. */
function daysAfter(ms: number, days: number): Date {
  const day = new Date(ms);
  day.setDate(day.getDate() + days);
  return day;
}

/** Says a day of the service as in `today` or `21 Dec`. Such a day is in UTC, as in 2026-01-15. */
export function utcDayInWords(day: string, now = timeNow()): string {
  // Both are read as times of the reader's clock, so that only their days differ.
  const local = (ms: number) => new Date(new Date(ms).toISOString().slice(0, -1));
  return dayInWords(`${day}T00:00:00`, local(now).getTime());
}

/** Says a time as in `today, 08:15`. For days other than yesterday, today and tomorrow, says the day alone. */
export function timeInWords(iso: string, now = timeNow()): string {
  const day = dayInWords(iso, now);
  return /^\d/.test(day) ? day : `${day}, ${shortClock.format(new Date(iso))}`;
}

/** Says a count as in `1 file` or `2,000 files`. */
export const counted = (n: number, one: string, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

/** Begins a word with a capital, as in Business. */
export const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** Writes a size as in 544.6 MB, in powers of ten, like current file managers. */
export function bytes(n: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, n)) / 3)));
  const value = n / 1000 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power]}`;
}

const SPANS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];

/** Says a time as in `7 min ago` or `in 2 days`. */
export function fromNow(iso: string, now = timeNow()): string {
  const seconds = (new Date(iso).getTime() - now) / 1000;
  const [unit, span] = SPANS.find(([, span]) => Math.abs(seconds) >= span) ?? ['second', 1];
  return relative.format(Math.trunc(seconds / span), unit);
}

/** Writes a duration as in 1 min 20 s. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 1) return `${Math.round(ms)} ms`;
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
