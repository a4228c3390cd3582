/** Conditional requests: whether the client's copy is still current (RFC 9110 section 13). */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { ByteRange } from '../../../platform/storage/object-storage.ts';
import { chooseRange } from './byte-range.ts';

export interface Validators {
  /** The strong entity tag, with its quotes. */
  readonly etag: string;
  /**
   * The time of the last change in milliseconds since 1970, in whole seconds. Absent if unknown. Answers show it only once it can mean no
   * other file (`representation.ts`).
   */
  readonly lastModifiedMs?: number;
}

/**
 * Returns the status to send instead of the file. Undefined if the file is to be sent. The order of the checks is that of RFC 9110 section
 * 13.2.2 for GET and HEAD. If the client gives an entity tag and a date, the date is ignored.
 *
 * `If-Modified-Since` counts only if it is the date of the file. The dates of a path may go back: after a clock that was ahead, after a
 * restore of the database, and when an index becomes a file. A date of the client's own may be of a moment when we still showed the former
 * file.
 */
export function judgePreconditions(
  headers: IncomingHttpHeaders,
  { etag, lastModifiedMs }: Validators,
): 304 | 412 | undefined {
  const ifMatch = headers['if-match'];
  const ifNoneMatch = headers['if-none-match'];
  const unmodifiedSince = parseHttpDate(headers['if-unmodified-since']);
  const modifiedSince = parseHttpDate(headers['if-modified-since']);

  if (ifMatch !== undefined) {
    if (ifMatch !== '*' && !tagsIn(ifMatch, etag).includes(etag)) return 412;
  } else if (isAfter(lastModifiedMs, unmodifiedSince)) {
    return 412;
  }

  if (ifNoneMatch !== undefined) {
    return ifNoneMatch === '*' || tagsIn(ifNoneMatch, etag).some((tag) => opaque(tag) === etag)
      ? 304
      : undefined;
  }
  return modifiedSince !== undefined && modifiedSince === lastModifiedMs ? 304 : undefined;
}

/** Returns whether Range applies to the file: If-Range is absent, or names exactly this version (RFC 9110 section 13.1.5). */
export function judgeIfRange(ifRange: string | undefined, { etag, lastModifiedMs }: Validators): boolean {
  if (ifRange === undefined) return true;
  const date = parseHttpDate(ifRange);
  return date === undefined ? ifRange === etag : date === lastModifiedMs;
}

/** Returns the range of a GET, unless If-Range cancels it. Range has no meaning in other methods (RFC 9110 section 14.2). */
export function selectRange(
  { method, headers }: IncomingMessage,
  representation: Validators & { readonly bytes: number },
): ByteRange | 'unsatisfiable' | undefined {
  const isAsked = method === 'GET' && judgeIfRange(headers['if-range']?.toString(), representation);
  return isAsked ? chooseRange(headers.range, representation.bytes) : undefined;
}

function isAfter(a: number | undefined, b: number | undefined): boolean {
  return a !== undefined && b !== undefined && a > b;
}

const TAG = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;
const TAGS = new RegExp(TAG, 'g');
const TAG_LIST = new RegExp(`^[ \\t,]*${TAG}(?:[ \\t]*,[ \\t,]*${TAG})*[ \\t,]*$`);

/**
 * Returns the entity tags of a field, as the client gave them. Returns none if the field is malformed or does not contain `wanted`. Looks
 * for `wanted` first, because a field may have thousands of tags.
 */
function tagsIn(field: string, wanted: string): readonly string[] {
  if (!field.includes(wanted)) return [];
  return TAG_LIST.test(field) ? (field.match(TAGS) ?? []) : [];
}

/** Removes `W/` from an entity tag: weak comparison ignores it (RFC 9110 section 8.8.3.2). */
function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}

const FORMS = [
  // IMF-fixdate: Sun, 06 Nov 1994 08:49:37 GMT
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  // Two obsolete forms that recipients must still parse. RFC 850: Sunday, 06-Nov-94 08:49:37 GMT
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  // asctime: Sun Nov  6 08:49:37 1994
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

/** Parses an HTTP date into milliseconds since 1970, in whole seconds. Undefined if the text is not an HTTP date. */
export function parseHttpDate(text: string | undefined): number | undefined {
  if (text === undefined || !FORMS.some((form) => form.test(text))) return undefined;
  // asctime names no zone and means GMT. `Date.parse` assumes the machine's zone.
  const parsed = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(parsed) ? undefined : parsed;
}
