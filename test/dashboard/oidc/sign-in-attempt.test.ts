import { expect, test } from 'vitest';
import {
  ATTEMPT_MS,
  createSignInAttempts,
  startOfState,
} from '../../../src/edges/dashboard/oidc/sign-in-attempt.ts';
import { Secret } from '../../../src/platform/secret.ts';

const PURPOSE = { providerId: 'acme', returnTo: '/dashboard', sessionId: null, invitationId: null };
const clock = { now: 1_800_000_000_000 };
const attempts = createSignInAttempts(new Secret('for tests'), () => clock.now);

test('any process with the secret reads what another one began', () => {
  const begun = attempts.begin(PURPOSE);
  const read = createSignInAttempts(new Secret('for tests')).read(begun.text);
  expect(read).toEqual(begun);
  expect(read).toMatchObject({ ...PURPOSE, startedAt: clock.now });
});

test('verifier, state and nonce differ from each other, by attempt and by secret', () => {
  const [one, two] = [attempts.begin(PURPOSE), attempts.begin(PURPOSE)];
  const foreign = createSignInAttempts(new Secret('another')).read(one.text)!;
  const all = [one, two, foreign].flatMap(({ verifier, state, nonce }) => [verifier, state, nonce]);
  expect(new Set(all).size).toBe(all.length);
  // RFC 7636, section 4.1.
  expect(one.verifier).toMatch(/^[A-Za-z0-9._~-]{43,128}$/);
});

test('whoever changes what the cookie says gets another state', () => {
  const begun = attempts.begin(PURPOSE);
  const fields = JSON.parse(Buffer.from(begun.text, 'base64url').toString());
  for (const change of [{ sessionId: 'session_1' }, { returnTo: '/a' }, { startedAt: clock.now + 1 }]) {
    const text = Buffer.from(JSON.stringify({ ...fields, ...change })).toString('base64url');
    expect(attempts.read(text)!.state).not.toBe(begun.state);
  }
  // The same bytes in another spelling are another text.
  expect(attempts.read(`${begun.text}=`)!.state).not.toBe(begun.state);
});

test.each([undefined, '', 'a', 'bnVsbA', Buffer.from('{"secret":1}').toString('base64url')])(
  '%s is no attempt',
  (text) => {
    expect(attempts.read(text)).toBeUndefined();
  },
);

test('an attempt is late after ten minutes, and its state says when it began', () => {
  const { state, startedAt } = attempts.begin(PURPOSE);
  expect(startOfState(state)).toBe(startedAt);
  expect(attempts.isLate(startedAt)).toBe(false);
  clock.now += ATTEMPT_MS + 1;
  expect(attempts.isLate(startedAt)).toBe(true);
});

test.each([undefined, '', 'a', ['a.b'], 'ABC.d', '12345678901.a'])('%j says no time', (state) => {
  expect(startOfState(state)).toBeUndefined();
});
