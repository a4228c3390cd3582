/** Reads the token of a link, which a page takes from behind the `#` of its address. */
import type { Request, Response } from 'express';
import { readMembers } from '../../core/web/json-body.ts';
import { isToken } from '../../features/accounts/secret-token.ts';
import { Refusal } from '../../platform/refusal.ts';

/** Returns the token in the body. The Refusal VALIDATION_ERROR does not repeat the value, which may be most of a real token. */
export async function readLinkToken(request: Request, response: Response, maxBytes: number): Promise<string> {
  const token = (await readMembers(request, response, ['token'], maxBytes)).get('token');
  if (typeof token === 'string' && isToken(token)) return token;
  const message = 'token: is not the end of a whole link.';
  throw new Refusal('VALIDATION_ERROR', message, { details: { field: 'token' } });
}
