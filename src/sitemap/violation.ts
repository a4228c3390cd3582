/** How a broken rule is told to the client: which field, what was sent there, and what is wanted. */
import { firstCodePoints, hasAtMostCodePoints } from './code-points.ts';

export interface Violation {
  /** The exact path, like `urls[31007].images[2].loc`. */
  field: string;
  /** What was sent there, shortened if it is long; null if nothing was. */
  value: unknown;
  /** Plain English, to be read after the field's name: "must be ...". */
  message: string;
}

/** Code points of a value that are shown; a longer one ends in `…`. */
const MAX_SHOWN_LENGTH = 256;

/** The field's name for a path below `urls[index]`. */
export function fieldName(index: number, path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (field, member) => field + (typeof member === 'number' ? `[${member}]` : `.${String(member)}`),
    `urls[${index}]`,
  );
}

/** A value as a violation shows it. An object or array that is too long is shown as the beginning of its JSON. */
export function shownValue(value: unknown): unknown {
  if (typeof value === 'string') return shorten(value);
  // 1e400 is parsed to Infinity, which JSON would turn into null.
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object' || value === null) return value ?? null;
  const json = JSON.stringify(value);
  return hasAtMostCodePoints(json, MAX_SHOWN_LENGTH) ? value : shorten(json);
}

function shorten(text: string): string {
  return hasAtMostCodePoints(text, MAX_SHOWN_LENGTH) ? text : `${firstCodePoints(text, MAX_SHOWN_LENGTH)}…`;
}
