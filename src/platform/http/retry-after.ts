/** Reads the header field Retry-After (RFC 9110, section 10.2.3), which has seconds or a date. */
const MAX_MS = 24 * 60 * 60_000;
/** Some servers send a fraction. */
const SECONDS = /^\d{1,10}(?:\.\d{1,9})?$/;

/** Returns the wait in ms, from 0 to a day. Undefined if the field is absent or malformed. */
export function retryAfterMs(field: string | undefined, now = Date.now()): number | undefined {
  if (field === undefined) return undefined;
  const ms = SECONDS.test(field) ? Math.ceil(Number(field) * 1000) : dateOf(field) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), MAX_MS);
}

/** Returns NaN for a text without the name of a month, because `Date.parse` takes `60;` for a year. */
function dateOf(field: string): number {
  return /[a-z]{3}/i.test(field) ? Date.parse(field) : Number.NaN;
}
