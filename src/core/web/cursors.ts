/**
 * List cursors: the position where a page ended. Cursors are encrypted, so that they do not reveal how many domains all accounts have. Each
 * is bound to one account and one list.
 *
 * ```
 * base64url( nonce (12) ‖ AES-256-GCM of the position, padded with NUL to a multiple of 16 ‖ tag (16) )
 * ```
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Refusal } from '../../platform/refusal.ts';
import type { Secret } from '../../platform/secret.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
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
  const key = Buffer.from(hkdfSync('sha256', secret.reveal(), '', 'waypost list cursors', 32));
  return {
    /** Makes the cursor of a position. `position`: text without NUL. */
    seal(scope: CursorScope, position: string): string {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(bytesOf(scope));
      const padded = position.padEnd(Math.ceil(position.length / PADDING) * PADDING, '\0');
      return Buffer.concat([nonce, cipher.update(padded), cipher.final(), cipher.getAuthTag()]).toString(
        'base64url',
      );
    },
    /** Returns the position in a cursor. Throws Refusal BAD_REQUEST for a damaged cursor, and for a cursor of another scope. */
    open(scope: CursorScope, cursor: string): string {
      const bytes = Buffer.from(cursor, 'base64url');
      // Node silently skips characters that are not base64url.
      if (bytes.toString('base64url') !== cursor || bytes.length < NONCE_BYTES + TAG_BYTES) throw damaged();
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(bytesOf(scope)).setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        const position = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
        return Buffer.concat([position, decipher.final()]).toString().split('\0', 1)[0]!;
      } catch {
        // The answer does not tell whether the cursor is damaged, or made for another list, account or secret.
        throw damaged();
      }
    },
  };
}

function bytesOf({ accountId, list }: CursorScope): Buffer {
  return Buffer.from(JSON.stringify([accountId, list]));
}

function damaged(): Refusal {
  return new Refusal(
    'BAD_REQUEST',
    'The cursor is unknown or damaged. Use the cursor from the previous answer.',
  );
}
