/** Reads the header field Retry-After (RFC 9110, section 10.2.3), which has seconds or a date. */
const MAX_MS = 24 * 60 * 60_000;

/** Returns the wait in ms, from 0 to a day. Undefined if the field is absent or malformed. */
export function retryAfterMs(field: string | undefined, now = Date.now()): number | undefined {
  if (field === undefined) return undefined;
  const ms = /^\d{1,10}$/.test(field) ? Number(field) * 1000 : Date.parse(field) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), MAX_MS);
}
