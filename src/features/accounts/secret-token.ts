/**
 * Secret tokens, for example of sessions and of one-time links: 256 random bits. A random value of this length needs no slow hash, so the
 * database has the SHA-256 of the token.
 */
import { createHash, randomBytes } from 'node:crypto';

const BYTES = 32;
const TOKEN = /^[\w-]{43}$/;

export function newToken(): string {
  return randomBytes(BYTES).toString('base64url');
}

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
