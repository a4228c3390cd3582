import { expect, test } from 'vitest';
import { AcmeError, failureOf, problemSchema } from '../../../src/platform/acme/acme-error.ts';

const URN = 'urn:ietf:params:acme:error:';

test('a problem is read without the prefix of its type, and without its other members', () => {
  expect(problemSchema.parse({ type: `${URN}compound`, detail: 'see below', subproblems: [{}] })).toEqual({
    type: 'compound',
    detail: 'see below',
  });
});

test.each([undefined, null, 7, 'text', [], {}, { type: 7, detail: {} }, { type: 'about:blank' }])(
  'from %j comes an empty problem',
  (document) => {
    expect(problemSchema.parse(document)).toEqual({ type: undefined, detail: '' });
  },
);

test('hostile text is bounded and on one line', () => {
  const { detail } = problemSchema.parse({
    detail: `\u001b[31mred\n\u202eright to left${'x'.repeat(5000)}`,
  });
  expect(detail).toMatch(/^\[31mred {2}right to leftx+$/);
  expect(detail.length).toBeLessThanOrEqual(1000);
});

test.each([
  [429, undefined, 'rateLimited'],
  [403, 'rateLimited', 'rateLimited'],
  [503, 'rateLimited', 'rateLimited'],
  [503, undefined, 'unavailable'],
  [302, undefined, 'unavailable'],
  [400, 'badNonce', 'unavailable'],
  [400, 'serverInternal', 'unavailable'],
  [403, 'unauthorized', 'refused'],
  [404, undefined, 'refused'],
  [409, 'alreadyReplaced', 'refused'],
])('%i %s is %s', (status, type, kind) => {
  expect(failureOf(status, type)).toBe(kind);
});

test('the message says what failed, and why', () => {
  const told = { kind: 'refused', type: 'caa', status: 403, detail: 'not here' } as const;
  expect(new AcmeError('create an order', told).message).toBe('could not create an order: caa: not here');
  expect(new AcmeError('get a nonce', { kind: 'unavailable', status: 503 }).message).toBe(
    'could not get a nonce: status 503',
  );
});
