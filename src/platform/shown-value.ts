/** Shortens a value that breaks a rule, so that refusals and violations can show it to the client. */
import { firstCodePoints, hasAtMostCodePoints } from './code-points.ts';

/** The most code points of a value that we show. A longer value is cut and ends in `…`. */
const MAX_SHOWN_LENGTH = 256;

/** Returns null for a missing value, and the beginning of the JSON for a long object or array. */
export function shownValue(value: unknown): unknown {
  if (typeof value === 'string') return shownText(value);
  // JSON.parse reads 1e400 as Infinity, and JSON.stringify would write that as null.
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object' || value === null) return value ?? null;
  const json = JSON.stringify(value);
  return hasAtMostCodePoints(json, MAX_SHOWN_LENGTH) ? value : shownText(json);
}

/** Returns the beginning of a long text. */
export function shownText(text: string, most = MAX_SHOWN_LENGTH): string {
  return hasAtMostCodePoints(text, most) ? text : `${firstCodePoints(text, most)}…`;
}
