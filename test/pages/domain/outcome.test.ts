import { describe, expect, test } from 'vitest';
import { isStillHeld, reasonOf } from '../../../pages/views/domain/outcome.ts';

const id = 'upload_7XyPq2Wd9Rt4Kb6Fs1Hj3M';

describe('the reason of an outcome', () => {
  test('is what the service said', () => {
    expect(reasonOf({ id, outcome: 'refused', message: 'line 1, loc: is required' })).toBe(
      'line 1, loc: is required',
    );
  });

  test('is told where nobody could answer', () => {
    expect(reasonOf({ id, outcome: 'abandoned', message: null })).toContain('nothing was published');
  });

  test('names no request of the API where a button does it', () => {
    expect(reasonOf({ id, outcome: 'held', message: 'POST {"force": true}' })).not.toContain('POST');
  });

  test('of a delta that changed nothing is not that of an upload', () => {
    const unchanged = { outcome: 'unchanged', message: null } as const;
    expect(reasonOf({ id: 'delta_7XyPq2Wd9Rt4Kb6Fs1Hj3M', ...unchanged })).toContain('as the update says');
    expect(reasonOf({ id, ...unchanged })).toContain('had these URLs already');
  });

  test('is absent where all went well', () => {
    expect(reasonOf({ id, outcome: 'published', message: null })).toBeUndefined();
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
