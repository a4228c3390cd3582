/** Parses the expiry of a key as operators give it. */
import { expiryProblem, parseTime } from '../features/accounts/key-expiry.ts';
import { UsageError } from './usage-error.ts';

const UNITS_MS = { h: 3_600_000, d: 24 * 3_600_000, w: 7 * 24 * 3_600_000 };
const DURATION = /^(\d+)([hdw])$/;

/** The forms of an expiry, for help texts. */
export const EXPIRY_FORMS =
  'a duration as in 90d, 12h or 4w, or a time as in 2030-01-31 (00:00 UTC) or 2030-01-31T18:00:00Z';

/** Throws UsageError for text in any other form, and for a time that is not in the future. */
export function parseExpiry(text: string, now: Date): Date {
  const [, amount, unit] = DURATION.exec(text) ?? [];
  const time =
    unit === undefined ? parseTime(text) : new Date(now.getTime() + Number(amount) * UNITS_MS[unit as 'h']);
  if (time === undefined) throw new UsageError(`--expires ${text} is not a time. It takes ${EXPIRY_FORMS}.`);
  const problem = expiryProblem(time, now);
  if (problem !== undefined) throw new UsageError(`--expires ${text} ${problem}.`);
  return time;
}
