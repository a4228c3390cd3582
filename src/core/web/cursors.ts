/**
 * List cursors: the position where a page ended. Cursors are encrypted, so that they do not reveal how many domains all accounts have. Each
 * is bound to one account and one list.
 *
 * ```
 * base64url( nonce (12) ‖ AES-256-GCM of the position, padded with NUL to a multiple of 16 ‖ tag (16) )
 * ```
 */
import { openBytes, SealError, sealBytes } from '../../platform/key-ring.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Secret } from '../../platform/secret.ts';

/** Positions are padded to a multiple of this number of bytes, so the length of a cursor reveals little about its position. */
const PADDING = 16;

/** A list of one account. Its cursors are valid for no other list or account. */
export interface CursorScope {
  readonly accountId: string;
  /** The name of the list, as in `domains`. */
  readonly list: string;
}

export type Cursors = ReturnType<typeof createCursors>;

/** Creates the cursors. All API processes must share `secret`. A key for this use only is derived from `secret` (RFC 5869). */
export function createCursors(secret: Secret) {
  const key = secret.derive('waypost list cursors');
  return {
    /** Makes the cursor of a position. `position`: text without NUL. */
    seal(scope: CursorScope, position: string): string {
      const padded = position.padEnd(Math.ceil(position.length / PADDING) * PADDING, '\0');
      return sealBytes(key, Buffer.from(padded), subjectOf(scope)).toString('base64url');
    },
    /** Returns the position in a cursor. Throws Refusal BAD_REQUEST for a damaged cursor, and for a cursor of another scope. */
    open(scope: CursorScope, cursor: string): string {
      const bytes = Buffer.from(cursor, 'base64url');
      // Node silently skips characters that are not base64url.
      if (bytes.toString('base64url') !== cursor) throw damaged();
      try {
        return openBytes(key, bytes, subjectOf(scope)).toString().split('\0', 1)[0]!;
      } catch (error) {
        if (!(error instanceof SealError)) throw error;
        // The answer does not tell whether the cursor is damaged, or made for another list, account or secret.
        throw damaged();
      }
    },
  };
}

const subjectOf = ({ accountId, list }: CursorScope) => [accountId, list];

function damaged(): Refusal {
  return new Refusal(
    'BAD_REQUEST',
    'The cursor is unknown or damaged. Use the cursor from the previous answer.',
  );
}
