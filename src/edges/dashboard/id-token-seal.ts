/** Encrypts the ID tokens of sessions. The sign-out at the provider needs them later. */
import { hkdfSync } from 'node:crypto';
import { KeyRing } from '../../platform/key-ring.ts';
import type { Secret } from '../../platform/secret.ts';

const KEY_ID = 'session';
const KEY_BYTES = 32;

export type IdTokenSeal = ReturnType<typeof createIdTokenSeal>;

export function createIdTokenSeal(secret: Secret) {
  const ringFor = (sessionId: string) => {
    const key = hkdfSync('sha256', secret.reveal(), '', `waypost session ${sessionId}`, KEY_BYTES);
    return new KeyRing(`${KEY_ID}:${Buffer.from(key).toString('base64')}`);
  };
  return {
    seal: (sessionId: string, idToken: string) =>
      ringFor(sessionId).seal(Buffer.from(idToken), [sessionId]).bytes,
    /** Decrypts an ID token. Returns undefined if that is impossible, for example after a change of DASHBOARD_SECRET. */
    open: (sessionId: string, sealed: string) =>
      ringFor(sessionId).tryOpen({ keyId: KEY_ID, bytes: sealed }, [sessionId])?.toString(),
  };
}
