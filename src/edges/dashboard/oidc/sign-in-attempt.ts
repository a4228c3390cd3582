/**
 * A sign-in under way. A cookie of the browser has a random secret and the purpose of the sign-in. Verifier, state and nonce are HMACs of
 * the cookie. So any process can finish the sign-in, and nothing is stored for strangers. If the cookie is changed, its state differs from
 * the state that the provider sends back.
 *
 * A state is the time of the start, a dot, and an HMAC. The time distinguishes a late browser from another browser.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Secret } from '../../../platform/secret.ts';

/** How long a person may take at the provider. */
export const ATTEMPT_MS = 600_000;
const SECRET_BYTES = 32;
const START = /^([0-9a-z]{1,10})\./;

const attemptSchema = z.strictObject({
  secret: z.string(),
  providerId: z.string(),
  /** The path of the dashboard page that the browser returns to. */
  returnTo: z.string(),
  /** The session in which an identity is linked; null for a sign-in. */
  sessionId: z.string().nullable(),
  /** The id of the invitation that the sign-in accepts; null without an invitation. Another cookie has the token of the invitation. */
  invitationId: z.string().nullable(),
  startedAt: z.number(),
});

type AttemptFields = z.infer<typeof attemptSchema>;

export interface SignInAttempt extends Omit<AttemptFields, 'secret'> {
  /** The value of the cookie. */
  readonly text: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Where a sign-in begins and what it is for. */
export type SignInPurpose = Omit<AttemptFields, 'secret' | 'startedAt'>;

export function createSignInAttempts(secret: Secret, now: () => number = Date.now) {
  const key = secret.derive('waypost sign-in');
  const derive = (fields: AttemptFields, text: string): SignInAttempt => {
    const { secret: _secret, ...purpose } = fields;
    const mac = (use: string) => createHmac('sha256', key).update(`${use} ${text}`).digest('base64url');
    const state = `${fields.startedAt.toString(36)}.${mac('state')}`;
    return { ...purpose, text, state, nonce: mac('nonce'), verifier: mac('verifier') };
  };
  return {
    begin(purpose: SignInPurpose): SignInAttempt {
      const fields = {
        secret: randomBytes(SECRET_BYTES).toString('base64url'),
        ...purpose,
        startedAt: now(),
      };
      return derive(fields, Buffer.from(JSON.stringify(fields)).toString('base64url'));
    },
    /** Reads the cookie; undefined if it does not have our form. Only a matching state proves that the cookie is genuine. */
    read(text: string | undefined): SignInAttempt | undefined {
      if (text === undefined) return undefined;
      try {
        const fields = JSON.parse(Buffer.from(text, 'base64url').toString());
        return derive(attemptSchema.parse(fields), text);
      } catch {
        // The cookie is not ours, or is of an older version.
        return undefined;
      }
    },
    isLate: (startedAt: number) => now() > startedAt + ATTEMPT_MS,
  };
}

/** Returns the start time that a state claims. Undefined if the state does not have our form. */
export function startOfState(state: unknown): number | undefined {
  const start = typeof state === 'string' ? START.exec(state)?.[1] : undefined;
  return start === undefined ? undefined : Number.parseInt(start, 36);
}
