/**
 * Reads the header `tracestate`: the notes of vendors on a trace (W3C Trace Context, level 1, section 3.3). We pass the notes on unread.
 */

const MAX_MEMBERS = 32;
const MAX_CHARACTERS = 512;
/** If the text is too long, members with more than LONG characters are dropped first. */
const LONG = 128;

const KEY = /^(?:[a-z][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})$/;
const VALUE = /^[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/**
 * Returns the text to pass on. If the header is too long, some of its members are missing. Undefined if it is not valid, or has no member.
 */
export function parseTraceState(header: string): string | undefined {
  const members = header.split(',').map((member) => member.trim());
  const given = members.filter((member) => member !== '');
  const keys = given.map((member) => member.split('=', 1)[0]!);
  const isValid = given.every(
    (member, n) => KEY.test(keys[n]!) && VALUE.test(member.slice(keys[n]!.length + 1)),
  );
  if (!isValid || given.length > MAX_MEMBERS || new Set(keys).size < keys.length) return undefined;
  while (given.join().length > MAX_CHARACTERS) {
    const long = given.findLastIndex(({ length }) => length > LONG);
    given.splice(long, 1);
  }
  return given.join() || undefined;
}
