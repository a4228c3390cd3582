/**
 * Finds the offset of a local time from UTC, by the rules of its time zone. `Intl` converts only from UTC to local time, and is slow. So
 * the spans between two changes of the clock are found once for each year.
 */

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** The changes of a clock are further apart than this: the shortest summer time on record has four weeks. */
const STEP_MS = 7 * DAY_MS;
/** More than the largest offset of any zone. */
const MARGIN_MS = 2 * DAY_MS;

/** The rules of later years are unknown. In earlier years, offsets have seconds. */
export const MIN_ZONE_YEAR = 1970;
export const MAX_ZONE_YEAR = 2100;

/** Local times are in milliseconds since 1970-01-01T00:00 on the clock of the zone. */
export interface TimeZone {
  readonly name: string;
  readonly isUtc: boolean;
  /**
   * Returns the offset in minutes east of UTC. Returns undefined for a time that the clock skips, and for a year without rules. A time
   * that the clock shows twice has its first offset.
   */
  offsetAt(localMs: number): number | undefined;
  /**
   * Returns the offset of the whole day that begins at `localMs`, or undefined if the clock changes on this day, and for a year without
   * rules.
   */
  offsetOfDay(localMs: number): number | undefined;
}

const MAX_KNOWN = 1000;
/** The zones that were asked for, with their spans. */
const ruledZones = new Map<string, TimeZone>();

/** Finds the zone of `UTC` or `Z`, of an offset like `+02:00`, or of a name like `Europe/Berlin`. Returns undefined for any other text. */
export function findTimeZone(name: string): TimeZone | undefined {
  if (name === 'UTC' || name === 'Z') return fixedZone('UTC', 0);
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(name) ?? [];
  if (sign !== undefined) {
    const offset = (sign === '-' ? -1 : 1) * (60 * Number(hours) + Number(minutes));
    return Math.abs(offset) <= 14 * 60 && Number(minutes) < 60 ? fixedZone(name, offset) : undefined;
  }
  const known = ruledZones.get(name);
  if (known !== undefined) return known;
  if (!/^[A-Za-z][A-Za-z_]*(?:\/[A-Za-z][\w+-]*){1,2}$/.test(name)) return undefined;
  try {
    const zone = new RuledZone(name);
    // There are some 600 names. But Intl ignores the case of letters, so a name has many spellings.
    if (ruledZones.size === MAX_KNOWN) ruledZones.clear();
    ruledZones.set(name, zone);
    return zone;
  } catch {
    return undefined;
  }
}

function fixedZone(name: string, offset: number): TimeZone {
  return { name, isUtc: name === 'UTC', offsetAt: () => offset, offsetOfDay: () => offset };
}

/** A span in which the clock has one offset. Both ends are local times. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly offset: number;
}

class RuledZone implements TimeZone {
  readonly name: string;
  readonly isUtc = false;
  readonly #format: Intl.DateTimeFormat;
  readonly #years = new Map<number, readonly Span[]>();

  /** Throws RangeError for an unknown name. */
  constructor(name: string) {
    this.name = name;
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  }

  offsetAt(localMs: number): number | undefined {
    return this.#spansAt(localMs)?.find(({ from, to }) => from <= localMs && localMs < to)?.offset;
  }

  offsetOfDay(localMs: number): number | undefined {
    const spans = this.#spansAt(localMs)?.filter(({ from, to }) => from < localMs + DAY_MS && localMs < to);
    if (spans?.length !== 1) return undefined;
    const [{ from, to, offset }] = spans as [Span];
    return from <= localMs && localMs + DAY_MS <= to ? offset : undefined;
  }

  #spansAt(localMs: number): readonly Span[] | undefined {
    const year = new Date(localMs).getUTCFullYear();
    if (!(year >= MIN_ZONE_YEAR && year <= MAX_ZONE_YEAR)) return undefined;
    let spans = this.#years.get(year);
    if (spans === undefined) {
      spans = this.#spansOf(year);
      this.#years.set(year, spans);
    }
    return spans;
  }

  #spansOf(year: number): Span[] {
    const end = Date.UTC(year + 1, 0, 1) + MARGIN_MS;
    const spans: Span[] = [];
    let from = Date.UTC(year, 0, 1) - MARGIN_MS;
    let offset = this.#offsetAtUtc(from);
    for (let at = from; at < end; at += STEP_MS) {
      const next = Math.min(at + STEP_MS, end);
      const after = this.#offsetAtUtc(next);
      if (after === offset) continue;
      const change = this.#changeBetween(at, next, offset);
      spans.push(spanOf(from, change, offset));
      from = change;
      offset = after;
    }
    return [...spans, spanOf(from, end, offset)];
  }

  /** Returns the first minute that has another offset, in ms since 1970 in UTC. */
  #changeBetween(before: number, after: number, offset: number): number {
    let [low, high] = [before / MINUTE_MS, after / MINUTE_MS];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#offsetAtUtc(middle * MINUTE_MS) === offset) low = middle;
      else high = middle;
    }
    return high * MINUTE_MS;
  }

  /** In all years with rules, offsets are whole minutes. One country is an exception until 1972. */
  #offsetAtUtc(utcMs: number): number {
    const [, sign, hours, minutes] = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(this.#format.format(utcMs)) ?? [];
    if (sign === undefined) return 0;
    return (sign === '-' ? -1 : 1) * (60 * Number(hours) + Number(minutes));
  }
}

const spanOf = (fromUtc: number, toUtc: number, offset: number): Span => ({
  from: fromUtc + offset * MINUTE_MS,
  to: toUtc + offset * MINUTE_MS,
  offset,
});
