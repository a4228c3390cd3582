/** Cursors of the domain list: opaque, and a damaged one is noticed. */
import { crc32 } from 'node:zlib';
import { Refusal } from '../platform/refusal.ts';

/** `position`: of the last domain of the page. */
export function encodeCursor(position: number): string {
  const text = String(position);
  return Buffer.from(`${text}.${crc32(text)}`).toString('base64url');
}

/** Throws Refusal BAD_REQUEST. */
export function decodeCursor(cursor: string): number {
  const position = Number(/^\d+/.exec(Buffer.from(cursor, 'base64url').toString())?.[0]);
  if (Number.isSafeInteger(position) && encodeCursor(position) === cursor) return position;
  throw new Refusal(
    'BAD_REQUEST',
    'The cursor is unknown or damaged. Use the cursor of the previous answer.',
  );
}
