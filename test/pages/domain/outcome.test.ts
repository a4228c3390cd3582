import { describe, expect, test } from 'vitest';
import { isStillHeld, reasonOf } from '../../../pages/views/domain/outcome.ts';

describe('the reason of an outcome', () => {
  test('is what the service said', () => {
    expect(reasonOf({ outcome: 'refused', message: 'line 1, loc: is required' })).toBe(
      'line 1, loc: is required',
    );
  });

  test('is told where nobody could answer', () => {
    expect(reasonOf({ outcome: 'abandoned', message: null })).toContain('nothing was published');
  });

  test('names no request of the API where a button does it', () => {
    expect(reasonOf({ outcome: 'held', message: 'POST {"force": true}' })).not.toContain('POST');
  });

  test('is absent where all went well', () => {
    expect(reasonOf({ outcome: 'published', message: null })).toBeUndefined();
  });
});

describe('a held upload', () => {
  const endedAt = '2026-01-15T10:00:00Z';
  const hours = (n: number) => Date.parse(endedAt) + n * 3_600_000;

  test('can be published for 24 hours', () => {
    expect(isStillHeld({ outcome: 'held', endedAt }, hours(23))).toBe(true);
    expect(isStillHeld({ outcome: 'held', endedAt }, hours(24))).toBe(false);
  });

  test('is no other one', () => {
    expect(isStillHeld({ outcome: 'published', endedAt }, hours(1))).toBe(false);
  });
});
