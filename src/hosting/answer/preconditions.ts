/** Conditional requests: whether the client's copy is still current (RFC 9110 section 13). */
import type { IncomingHttpHeaders } from 'node:http';
import { parseHttpDate } from './http-date.ts';

export interface Validators {
  /** Strong, with its quotes. */
  readonly etag: string;
  /** Milliseconds since 1970, whole seconds. Absent if unknown. */
  readonly lastModifiedMs?: number;
}

/**
 * The status to send instead of the file; undefined means: send the file. For GET and HEAD, in the order of RFC 9110
 * section 13.2.2: a given entity tag overrules the date beside it.
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
 * Whether Range applies to the file: If-Range is absent, or names exactly this version (RFC 9110 section 13.1.5).
 * A date counts only when its second is over: the file could change twice within it.
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
 * The entity tags of a list, as given. None if the field is malformed or does not contain `wanted`: we check that
 * first, because a list may have thousands of tags.
 */
function tagsIn(field: string, wanted: string): readonly string[] {
  if (!field.includes(wanted)) return [];
  return TAG_LIST.test(field) ? (field.match(TAGS) ?? []) : [];
}

/** Weak comparison ignores the `W/` (RFC 9110 section 8.8.3.2). */
function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}
