/** The header Waypost-Attempt: a page makes a token for each of its uploads, and asks for the outcome of the upload by this token. */
import { Refusal } from '../../platform/refusal.ts';

export const ATTEMPT_HEADER = 'Waypost-Attempt';
const TOKEN = /^[A-Za-z0-9]{22}$/;

/** Parses the token. Throws Refusal BAD_REQUEST. */
export function parseAttemptToken(given: string): string {
  if (TOKEN.test(given)) return given;
  throw new Refusal('BAD_REQUEST', `${ATTEMPT_HEADER} must be 22 letters and digits.`);
}

/** Returns the name of the token's claim (features/idempotency/claims.ts). Claims by Idempotency-Key have names without a blank. */
export const claimOf = (token: string) => `attempt ${token}`;
