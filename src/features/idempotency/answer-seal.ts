/**
 * Seals recorded answers, because answers about webhooks contain secrets, and answers of other routes may contain secrets later. Each
 * request id has a key of its own, which is derived from the secret of all API processes. So the limit of a key (platform/key-ring.ts) does
 * not limit the number of answers.
 */
import { KeyRing, SealError } from '../../platform/key-ring.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Secret } from '../../platform/secret.ts';
import type { Claim } from './claim-store.ts';

const KEY_ID = 'answer';
/** The largest answer: a refusal lists up to 100 violations, and JSON may write 256 characters of a value as 1.5 kB. */
const MAX_ANSWER_BYTES = 256 * 1024;

type Subject = Pick<Claim, 'accountId' | 'request'>;

export function sealAnswer(secret: Secret, { accountId, request }: Subject, answer: string): string {
  const bytes = Buffer.from(answer);
  if (bytes.length > MAX_ANSWER_BYTES) throw new Error(`an answer of ${bytes.length} bytes is not kept`);
  const subject = [accountId, request];
  return ringFor(secret, subject).seal(bytes, subject).bytes;
}

/** Opens a sealed answer. Throws Refusal CONFLICT after a change of the secret. */
export function openAnswer(secret: Secret, { accountId, request }: Subject, sealed: string): string {
  const subject = [accountId, request];
  try {
    return ringFor(secret, subject).open({ keyId: KEY_ID, bytes: sealed }, subject).toString();
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    const message =
      'This request was done before. Its answer can no longer be read, because the service has a new secret.';
    throw new Refusal('CONFLICT', message);
  }
}

function ringFor(secret: Secret, subject: readonly string[]): KeyRing {
  const key = secret.derive(`waypost answers ${subject.join(' ')}`);
  return new KeyRing(`${KEY_ID}:${key.toString('base64')}`);
}
