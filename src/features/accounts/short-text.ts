/**
 * Parses short texts by people for people: names and notes. They keep every character, but may have no control characters, line breaks or
 * marks of direction.
 */
import { hasAtMostCodePoints } from '../../platform/code-points.ts';
import { hasControl } from '../../platform/control-characters.ts';
import { invalidField } from '../../platform/refusal.ts';

const MAX_SHORT_TEXT = 100;

/** Returns the text as it was given. Throws Refusal VALIDATION_ERROR. `field`: the name of the field in the body. */
export function parseShortText(field: string, given: unknown): string {
  if (given === undefined || given === null) throw invalidField(field, given, 'is required');
  if (typeof given !== 'string') throw invalidField(field, given, 'must be a string');
  if (given === '' || !hasAtMostCodePoints(given, MAX_SHORT_TEXT)) {
    throw invalidField(field, given, `must have 1 to ${MAX_SHORT_TEXT} characters`);
  }
  // Postgres stores no unpaired surrogate.
  if (!given.isWellFormed()) throw invalidField(field, given, 'must be valid Unicode');
  if (hasControl(given))
    throw invalidField(field, given, 'must have no control characters, line breaks or marks of direction');
  return given;
}
