/** The Range header (RFC 9110 section 14). */
import type { ByteRange } from '../../../platform/storage/object-storage.ts';

/**
 * Returns the part that a Range field requests of a body of `bytes`. Undefined means the whole body. A server may ignore Range (RFC 9110
 * section 14.2), and we ignore malformed ranges, and several ranges at once.
 */
export function chooseRange(
  range: string | undefined,
  bytes: number,
): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(range ?? '');
  if (match === null) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '') return last === '' ? undefined : lastBytes(Number(last), bytes);

  const offset = Number(first);
  if (last !== '' && Number(last) < offset) return undefined;
  if (offset >= bytes) return 'unsatisfiable';
  const end = last === '' ? bytes : Math.min(Number(last) + 1, bytes);
  return { offset, length: end - offset };
}

function lastBytes(wanted: number, bytes: number): ByteRange | 'unsatisfiable' {
  const length = Math.min(wanted, bytes);
  return length === 0 ? 'unsatisfiable' : { offset: bytes - length, length };
}

/** Returns the `Content-Range` of a 206; without `range`, that of a 416. */
export function contentRange(bytes: number, range?: ByteRange): string {
  return range === undefined
    ? `bytes */${bytes}`
    : `bytes ${range.offset}-${range.offset + range.length - 1}/${bytes}`;
}
