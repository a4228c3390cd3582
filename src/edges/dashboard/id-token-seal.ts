/** Encrypts the ID tokens of sessions. The sign-out at the provider needs them later. */
import { KeyRing } from '../../platform/key-ring.ts';
import type { Secret } from '../../platform/secret.ts';

const KEY_ID = 'session';

export type IdTokenSeal = ReturnType<typeof createIdTokenSeal>;

export function createIdTokenSeal(secret: Secret) {
  const ringFor = (sessionId: string) => {
    const key = secret.derive(`waypost session ${sessionId}`);
    return new KeyRing(`${KEY_ID}:${key.toString('base64')}`);
  };
  return {
    seal: (sessionId: string, idToken: string) =>
      ringFor(sessionId).seal(Buffer.from(idToken), [sessionId]).bytes,
    /** Decrypts an ID token. Returns undefined if that is impossible, for example after a change of DASHBOARD_SECRET. */
    open: (sessionId: string, sealed: string) =>
      ringFor(sessionId).tryOpen({ keyId: KEY_ID, bytes: sealed }, [sessionId])?.toString(),
  };
}
