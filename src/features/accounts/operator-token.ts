/**
 * Tokens of the operator's API: `op_live_` and 43 characters. 256 random bits need no slow hash, so the settings have the SHA-256.
 */
import { timingSafeEqual } from 'node:crypto';
import type { TokenHash } from '../../core/config/token-hashes.ts';
import { Refusal } from '../../platform/refusal.ts';
import { hashToken, isToken, newToken } from './secret-token.ts';

const PREFIX = 'op_live_';

export function newOperatorToken(name: string): { readonly token: string; readonly entry: string } {
  const token = `${PREFIX}${newToken()}`;
  return { token, entry: `${name}:${hashToken(token).toString('hex')}` };
}

/** Returns the name of the token; undefined for an unknown token. The comparison takes the same time for all tokens of the right form. */
export function nameOfToken(tokens: readonly TokenHash[], given: string): string | undefined {
  if (!given.startsWith(PREFIX) || !isToken(given.slice(PREFIX.length))) return undefined;
  const hash = hashToken(given);
  const equal = tokens.filter((token) => timingSafeEqual(token.hash, hash));
  return equal[0]?.name;
}

export function noOperator(): Refusal {
  return new Refusal('UNAUTHORIZED', "The token of the operator's API is invalid or missing.");
}
