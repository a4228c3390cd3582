import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCursors } from '../../src/core/web/cursors.ts';
import { Secret } from '../../src/platform/secret.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';

const cursors = createCursors(new Secret('for tests'));
const scope = { accountId: 'account_1', list: 'domains' };
const position = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'));
const refused = expect.objectContaining({ code: 'BAD_REQUEST' });

test('a cursor leads back to its position in every process with the secret, and needs no escaping in a query', () => {
  const elsewhere = createCursors(new Secret('for tests'));
  fc.assert(
    fc.property(position, (text) => {
      const cursor = cursors.seal(scope, text);
      expect(encodeURIComponent(cursor)).toBe(cursor);
      expect(elsewhere.open(scope, cursor)).toBe(text);
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test('a cursor with any character changed, added or removed is refused', () => {
  fc.assert(
    fc.property(
      position,
      fc.nat(),
      fc.string({ maxLength: 2 }),
      fc.nat(2),
      (text, place, inserted, removed) => {
        const cursor = cursors.seal(scope, text);
        const at = place % (cursor.length + 1);
        const damaged = cursor.slice(0, at) + inserted + cursor.slice(at + removed);
        fc.pre(damaged !== cursor);
        expect(() => cursors.open(scope, damaged)).toThrow(refused);
      },
    ),
    { numRuns: PROPERTY_RUNS },
  );
});

test('a cursor of another account, another list or another secret is refused', () => {
  const cursor = cursors.seal(scope, '5');
  expect(() => cursors.open({ ...scope, accountId: 'account_2' }, cursor)).toThrow(refused);
  expect(() => cursors.open({ ...scope, list: 'sitemaps' }, cursor)).toThrow(refused);
  expect(() => createCursors(new Secret('another')).open(scope, cursor)).toThrow(refused);
});

test('a cursor hides its position and the length of it', () => {
  expect(cursors.seal(scope, '7')).not.toBe(cursors.seal(scope, '7'));
  expect(cursors.seal(scope, '7')).toHaveLength(cursors.seal(scope, '123456789').length);
  expect(Buffer.from(cursors.seal(scope, 'position'), 'base64url').includes('position')).toBe(false);
});

test.each(['', '5', 'NQ', '__proto__', 'MTIz', '-1', 'null', 'A'.repeat(60)])('%j is refused', (cursor) => {
  expect(() => cursors.open(scope, cursor)).toThrow(refused);
});
