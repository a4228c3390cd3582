/** A value that breaks a rule, as refusals and violations show it to the client. */
import { firstCodePoints, hasAtMostCodePoints } from './code-points.ts';

/** Code points of a value that are shown; a longer one ends in `…`. */
const MAX_SHOWN_LENGTH = 256;

/** Null for what is missing. An object or array that is too long is shown as the beginning of its JSON. */
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
