/** When a key is to expire, as operators say it. */
import { z } from 'zod';
import { UsageError } from './usage-error.ts';

const UNITS_MS = { h: 3_600_000, d: 24 * 3_600_000, w: 7 * 24 * 3_600_000 };
const timeSchema = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);
/** Beyond it, ISO 8601 writes years with a sign. */
const LATEST = new Date('9999-12-31T23:59:59Z');

/** For help texts. */
export const EXPIRY_FORMS =
  'a duration as in 90d, 12h or 4w, or a time as in 2030-01-31 (00:00 UTC) or 2030-01-31T18:00:00Z';

/** Throws UsageError for text in no such form, and for a time that is not to come. */
export function parseExpiry(text: string, now: Date): Date {
  const [, amount, unit] = /^(\d+)([hdw])$/.exec(text) ?? [];
  const time =
    unit === undefined ? parseTime(text) : new Date(now.getTime() + Number(amount) * UNITS_MS[unit as 'h']);
  if (time === undefined) throw new UsageError(`--expires ${text} is no time. It takes ${EXPIRY_FORMS}.`);
  if (time <= now) throw new UsageError(`--expires ${text} is in the past.`);
  // So is a time that Date cannot hold.
  if (!(time <= LATEST)) throw new UsageError(`--expires ${text} is too far away.`);
  return time;
}

function parseTime(text: string): Date | undefined {
  return timeSchema.safeParse(text).success ? new Date(text) : undefined;
}
