/** Opens the recorded answer of a request. */
import { SealError } from '../../platform/key-ring.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { FormerAnswer } from './claims.ts';

/** Returns the body of the answer. Throws Refusal CONFLICT after a change of the secret. */
export function openAnswer(former: FormerAnswer): string {
  try {
    return former.open();
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    const message =
      'This request was done before. Its answer can no longer be read, because the service has a new secret.';
    throw new Refusal('CONFLICT', message);
  }
}
