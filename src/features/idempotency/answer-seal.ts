/**
 * Seals recorded answers, because answers about webhooks contain secrets, and answers of other routes may contain secrets later. Each
 * request id has a key of its own, which is derived from the secret of all API processes. So the limit of a key (platform/key-ring.ts) does
 * not limit the number of answers.
 */
import { hkdfSync } from 'node:crypto';
import { KeyRing } from '../../platform/key-ring.ts';
import type { Secret } from '../../platform/secret.ts';
import type { Claim } from './claim-store.ts';

const KEY_ID = 'answer';
const KEY_BYTES = 32;
/** The largest answer: a refusal lists up to 100 violations, and JSON may write 256 characters of a value as 1.5 kB. */
const MAX_ANSWER_BYTES = 256 * 1024;

export interface AnswerSeal {
  seal(claim: Claim, answer: string): string;
  /** Opens a sealed answer. Throws SealError, for example after a change of the secret. */
  open(claim: Pick<Claim, 'accountId' | 'request'>, sealed: string): string;
}

export function createAnswerSeal(secret: Secret): AnswerSeal {
  const ringFor = (subject: readonly string[]) => {
    const purpose = `waypost answers ${subject.join(' ')}`;
    const key = hkdfSync('sha256', secret.reveal(), '', purpose, KEY_BYTES);
    return new KeyRing(`${KEY_ID}:${Buffer.from(key).toString('base64')}`);
  };
  return {
    seal({ accountId, request }, answer) {
      const bytes = Buffer.from(answer);
      if (bytes.length > MAX_ANSWER_BYTES) throw new Error(`an answer of ${bytes.length} bytes is not kept`);
      return ringFor([accountId, request]).seal(bytes, [accountId, request]).bytes;
    },
    open({ accountId, request }, sealed) {
      const opened = ringFor([accountId, request]).open({ keyId: KEY_ID, bytes: sealed }, [
        accountId,
        request,
      ]);
      return opened.toString();
    },
  };
}
