/** Reads the time when a key expires, in the forms that people write. */
import { z } from 'zod';
import { invalidField } from '../../platform/refusal.ts';

const timeSchema = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);
/** The latest time at which a key may expire. ISO 8601 writes later years with a sign. */
const LATEST = new Date('9999-12-31T23:59:59Z');

/** Parses a date (00:00 UTC) or a date and time with a zone. Returns undefined for text in any other form. */
export function parseTime(text: string): Date | undefined {
  return timeSchema.safeParse(text).success ? new Date(text) : undefined;
}

export function expiryProblem(time: Date, now: Date): string | undefined {
  if (time <= now) return 'is in the past';
  // A time that Date cannot hold is NaN. Each comparison with NaN is false, so `time > LATEST` does not refuse it.
  if (!(time <= LATEST)) return 'is too far away';
  return undefined;
}

/** Returns null for a key that never expires. Throws Refusal VALIDATION_ERROR. */
export function parseExpiresAt(given: unknown, now: Date): Date | null {
  if (given === undefined || given === null) return null;
  const time = typeof given === 'string' ? parseTime(given) : undefined;
  if (time === undefined) {
    const forms = 'must be a date as in 2030-01-31 (00:00 UTC), or a time as in 2030-01-31T18:00:00Z';
    throw invalidField('expiresAt', given, forms);
  }
  const problem = expiryProblem(time, now);
  if (problem !== undefined) throw invalidField('expiresAt', given, problem);
  return time;
}
