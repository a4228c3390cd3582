import { describe, expect, test } from 'vitest';
import { isStillHeld, reasonOf } from '../../../pages/views/domain/outcome.ts';

const id = 'upload_7XyPq2Wd9Rt4Kb6Fs1Hj3M';

describe('the reason of an outcome', () => {
  test('is what the service said', () => {
    const said = (message: string) => reasonOf({ id, outcome: 'refused', message });
    expect(said('The plan is full.')).toBe('The plan is full');
    expect(said('sitemapName: must be 1 to 64 characters')).toBe(
      'The name of the sitemap must be 1 to 64 characters',
    );
    expect(said('Address: is not known here; expected one of loc, lastmod')).toBe(
      "Waypost doesn't know the column “Address”",
    );
    expect(said('a: is not known here; expected one of domain, urls')).toBe(
      "The file has “a”, which Waypost doesn't know",
    );
    expect(said('The request body is not valid: it is empty.')).toBe('The file has no URLs');
    expect(said('The request body is larger than 9 bytes.')).toBe('The file is larger than 9 bytes');
  });

  test('names the row of the first mistake', () => {
    const message = 'urls[5].loc: must be an absolute URL that starts with http:// or https://';
    const mistake = { field: 'urls[5].loc', value: 'x', message: message.slice('urls[5].loc: '.length) };
    const refused = { id, outcome: 'refused', message } as const;
    expect(reasonOf({ ...refused, errors: [mistake], errorCount: 1 })).toBe('Row 6: The URL has no https://');
    expect(reasonOf({ ...refused, errors: [{ ...mistake, field: 'loc', line: 9 }], errorCount: 3 })).toBe(
      'Row 9: The URL has no https://, and 2 more mistakes',
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
