/** The parameter `where`: conditions that a record must meet. All other records are left out, and counted as filtered. */
import { invalidField } from '../../../platform/refusal.ts';

export interface Condition<Place> {
  /** The place of the value. */
  readonly at: Place;
  readonly text: string;
  /** Whether the value need only begin with the text. */
  readonly isPrefix: boolean;
}

/**
 * Parses `Status Code:200` or `Type:text/*`. A name may have colons, so the longest of the known `names` counts. If no known name fits, the
 * name ends at the first colon. Throws Refusal VALIDATION_ERROR.
 */
export function conditionOf(
  text: string,
  names: readonly string[] = [],
): Omit<Condition<never>, 'at'> & { name: string } {
  const plain = text.toLowerCase();
  const known = names
    .map((name) => name.trim())
    .filter((name) => plain.startsWith(`${name.toLowerCase()}:`))
    .toSorted((a, b) => b.length - a.length)[0];
  const end = known?.length ?? text.indexOf(':');
  if (end < 1)
    throw invalidField('where', text, 'must be a column and its value, as in where=Status Code:200');
  const value = text.slice(end + 1);
  const isPrefix = value.endsWith('*');
  return { name: text.slice(0, end), text: isPrefix ? value.slice(0, -1) : value, isPrefix };
}

export function meets<Place>({ text, isPrefix }: Condition<Place>, value: string): boolean {
  return isPrefix ? value.startsWith(text) : value === text;
}
