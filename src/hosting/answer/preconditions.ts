/** Conditional requests: whether the client's copy is still good (RFC 9110 section 13). */
import type { IncomingHttpHeaders } from 'node:http';
import { parseHttpDate } from './http-date.ts';

export interface Validators {
  /** Strong, with its quotes. */
  readonly etag: string;
  /** Milliseconds since 1970, whole seconds; absent where nobody knows. */
  readonly lastModifiedMs?: number;
}

/**
 * The status that takes the place of the file, or undefined if the file is to be sent. For GET and HEAD, in
 * the order of RFC 9110 section 13.2.2: an entity tag, where one is given, overrules the date beside it.
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
  const isKnown = modifiedSince !== undefined && lastModifiedMs !== undefined;
  return isKnown && !isAfter(lastModifiedMs, modifiedSince) ? 304 : undefined;
}

/**
 * Whether a Range may be applied to the file: If-Range is absent, or names exactly this state of it (RFC 9110
 * section 13.1.5). A date does so only once its second is over, since the file could change twice in it.
 */
export function judgeIfRange(
  ifRange: string | undefined,
  { etag, lastModifiedMs }: Validators,
  nowMs: number,
): boolean {
  if (ifRange === undefined) return true;
  const date = parseHttpDate(ifRange);
  if (date === undefined) return ifRange === etag;
  return date === lastModifiedMs && nowMs - date >= 1_000;
}

function isAfter(a: number | undefined, b: number | undefined): boolean {
  return a !== undefined && b !== undefined && a > b;
}

const TAG = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;
const TAGS = new RegExp(TAG, 'g');
const TAG_LIST = new RegExp(`^[ \\t,]*${TAG}(?:[ \\t]*,[ \\t,]*${TAG})*[ \\t,]*$`);

/**
 * The entity tags of a list, as given; none if the field is not a list of entity tags, or does not hold `wanted`. That is
 * looked at first: a list may have thousands.
 */
function tagsIn(field: string, wanted: string): readonly string[] {
  if (!field.includes(wanted)) return [];
  return TAG_LIST.test(field) ? (field.match(TAGS) ?? []) : [];
}

/** Weak comparison ignores the mark (RFC 9110 section 8.8.3.2). */
function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}
