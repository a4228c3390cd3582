import { describe, expect, test } from 'vitest';
import { isStillHeld, placeOf, reasonOf } from '../../../../src/dashboard/web/pages/domain/outcome.ts';

const violation = { field: 'loc', value: 'x', message: 'must be an absolute URL' };

describe('the place of a violation', () => {
  test('is its line where the form has lines', () => {
    expect(placeOf({ ...violation, line: 1017, index: 1016 })).toBe('line 1,017, loc');
  });

  test('is its entry, counted from 1, where it has none', () => {
    expect(placeOf({ ...violation, field: 'urls[7].loc', index: 7 })).toBe('entry 8, urls[7].loc');
  });

  test('is its field alone where it belongs to no entry', () => {
    expect(placeOf({ ...violation, field: 'sitemapName' })).toBe('sitemapName');
  });
});

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
