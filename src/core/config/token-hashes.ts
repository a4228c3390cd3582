/** The setting OPERATOR_TOKENS: names, each with the SHA-256 of its token. The tokens themselves are stored nowhere. */
import { z } from 'zod';

export interface TokenHash {
  /** The name of the token in the audit log. */
  readonly name: string;
  readonly hash: Buffer;
}

const ENTRY = /^([a-z0-9][a-z0-9._-]{0,31}):([0-9a-f]{64})$/;

export const isTokenName = (name: string) => ENTRY.test(`${name}:${'0'.repeat(64)}`);

export const TOKEN_NAME_RULE = 'must have 1 to 32 lower-case letters, digits, dots, dashes or underscores';

/** Parses `name:sha256hex,name:sha256hex`. No message repeats a value, which may be the token itself. */
export const tokenHashes = z.string().transform((value, { issues }): readonly TokenHash[] => {
  const parts = value.split(',').map((part) => part.trim());
  const found = parts.filter((part) => part !== '').map((part) => ENTRY.exec(part));
  const tokens = found.map((match) => ({
    name: match?.[1] ?? '',
    hash: Buffer.from(match?.[2] ?? '', 'hex'),
  }));
  const isWrong = found.includes(null) || new Set(tokens.map(({ name }) => name)).size < tokens.length;
  if (!isWrong) return tokens;
  const message = `must be names, each once, with 64 hexadecimal digits, as in ci:${'0a'.repeat(3)}…`;
  issues.push({ code: 'custom', message, input: '[secret]' });
  return z.NEVER;
});
