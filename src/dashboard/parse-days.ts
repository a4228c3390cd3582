/** The span of a chart. */
import { invalidField } from '../platform/refusal.ts';

const DEFAULT_DAYS = 30;
const MAX_DAYS = 400;
const WHOLE = /^[1-9]\d{0,3}$/;

/** The query parameter `days`. Throws VALIDATION_ERROR. */
export function parseDays(given: unknown): number {
  if (given === undefined) return DEFAULT_DAYS;
  const days = typeof given === 'string' && WHOLE.test(given) ? Number(given) : 0;
  if (days >= 1 && days <= MAX_DAYS) return days;
  throw invalidField('days', given, `must be a whole number from 1 to ${MAX_DAYS}`);
}
