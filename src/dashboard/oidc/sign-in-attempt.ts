/**
 * A sign-in under way. Its browser holds a random secret and what the sign-in is for, in a cookie. Verifier,
 * state and nonce are HMACs of all of that. So any process can finish it, nothing is stored for strangers,
 * and whoever changes the cookie gets another state than the one that comes back.
 *
 * State: the time of the start, a dot, an HMAC. The time tells a late browser from another browser.
 */
import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Secret } from '../../platform/secret.ts';

/** How long somebody may take at the provider. */
export const ATTEMPT_MS = 600_000;
const SECRET_BYTES = 32;
const KEY_BYTES = 32;
const START = /^([0-9a-z]{1,10})\./;

const attemptSchema = z.strictObject({
  secret: z.string(),
  providerId: z.string(),
  returnTo: z.string(),
  /** The session of whoever links an identity; null for a sign-in. */
  sessionId: z.string().nullable(),
  /** Of the invitation on whose page it was begun, to accept it. */
  invitationId: z.string().nullable(),
  startedAt: z.number(),
});

type AttemptFields = z.infer<typeof attemptSchema>;

export interface SignInAttempt extends Omit<AttemptFields, 'secret'> {
  /** For the cookie. */
  readonly text: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface SignInAttempts {
  begin(purpose: Omit<AttemptFields, 'secret' | 'startedAt'>): SignInAttempt;
  /** What the cookie says, if it is one of ours by its form. Only the right state proves it. */
  read(text: string | undefined): SignInAttempt | undefined;
  isLate(startedAt: number): boolean;
}

export function createSignInAttempts(secret: Secret, now: () => number = Date.now): SignInAttempts {
  const key = Buffer.from(hkdfSync('sha256', secret.reveal(), '', 'waypost sign-in', KEY_BYTES));
  const derive = (fields: AttemptFields, text: string): SignInAttempt => {
    const { secret: _secret, ...purpose } = fields;
    const mac = (use: string) => createHmac('sha256', key).update(`${use} ${text}`).digest('base64url');
    const state = `${fields.startedAt.toString(36)}.${mac('state')}`;
    return { ...purpose, text, state, nonce: mac('nonce'), verifier: mac('verifier') };
  };
  return {
    begin(purpose) {
      const fields = {
        secret: randomBytes(SECRET_BYTES).toString('base64url'),
        ...purpose,
        startedAt: now(),
      };
      return derive(fields, Buffer.from(JSON.stringify(fields)).toString('base64url'));
    },
    read(text) {
      if (text === undefined) return undefined;
      try {
        const fields = JSON.parse(Buffer.from(text, 'base64url').toString());
        return derive(attemptSchema.parse(fields), text);
      } catch {
        // Not one of ours, or of an older version.
        return undefined;
      }
    },
    isLate: (startedAt) => now() > startedAt + ATTEMPT_MS,
  };
}

/** When the sign-in of a state began, as the state says it. Undefined if it is none of ours. */
export function startOfState(state: unknown): number | undefined {
  const start = typeof state === 'string' ? START.exec(state)?.[1] : undefined;
  return start === undefined ? undefined : Number.parseInt(start, 36);
}
