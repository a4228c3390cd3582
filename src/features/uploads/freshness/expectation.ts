/** How often the owner of a sitemap expects it to be uploaded. */
import { z } from 'zod';

/** A leap year (366 days of 24 hours), for lists that are made by hand. */
const MAX_HOURS = 8784;

export const expectEveryHoursSchema = z
  .int('must be a whole number of hours')
  .min(1, 'must be at least 1')
  .max(MAX_HOURS, `must be at most ${MAX_HOURS}`)
  .nullable();

export interface Expectation {
  readonly expectEveryHours: number | null;
  /** When the next upload is due, or was due. */
  readonly freshUntil: Date | null;
  /** The time when the missing upload was due. Null: no upload is missing. */
  readonly staleSince: Date | null;
}
