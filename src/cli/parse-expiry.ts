/** Parses the expiry of a key as operators give it. */
import { z } from 'zod';
import { UsageError } from './usage-error.ts';

const UNITS_MS = { h: 3_600_000, d: 24 * 3_600_000, w: 7 * 24 * 3_600_000 };
const timeSchema = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);
/** ISO 8601 writes later years with a sign. */
const LATEST = new Date('9999-12-31T23:59:59Z');

/** For help texts. */
export const EXPIRY_FORMS =
  'a duration as in 90d, 12h or 4w, or a time as in 2030-01-31 (00:00 UTC) or 2030-01-31T18:00:00Z';

/** Throws UsageError for text in any other form, and for a time that is not in the future. */
export function parseExpiry(text: string, now: Date): Date {
  const [, amount, unit] = /^(\d+)([hdw])$/.exec(text) ?? [];
  const time =
    unit === undefined ? parseTime(text) : new Date(now.getTime() + Number(amount) * UNITS_MS[unit as 'h']);
  if (time === undefined) throw new UsageError(`--expires ${text} is not a time. It takes ${EXPIRY_FORMS}.`);
  if (time <= now) throw new UsageError(`--expires ${text} is in the past.`);
  // True also for a time that Date cannot hold: it compares as NaN.
  if (!(time <= LATEST)) throw new UsageError(`--expires ${text} is too far away.`);
  return time;
}

function parseTime(text: string): Date | undefined {
  return timeSchema.safeParse(text).success ? new Date(text) : undefined;
}
