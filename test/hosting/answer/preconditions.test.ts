import { describe, expect, test } from 'vitest';
import { judgeIfRange, judgePreconditions } from '../../../src/edges/hosting/answer/preconditions.ts';

const BEFORE = 'Thu, 15 Jan 2026 09:59:59 GMT';
const SAME = 'Thu, 15 Jan 2026 10:00:00 GMT';
const AFTER = 'Thu, 15 Jan 2026 10:00:01 GMT';
const file = { etag: '"a"', lastModifiedMs: Date.parse(SAME) };

describe('judgePreconditions', () => {
  test.each([
    [{}, undefined],
    [{ 'if-none-match': '"a"' }, 304],
    [{ 'if-none-match': 'W/"a"' }, 304],
    [{ 'if-none-match': '*' }, 304],
    [{ 'if-none-match': '"x", W/"y" ,"a"' }, 304],
    [{ 'if-none-match': ', "x",, "a",' }, 304],
    [{ 'if-none-match': '"x, a"' }, undefined],
    [{ 'if-none-match': '"b"' }, undefined],
    [{ 'if-none-match': 'a' }, undefined],
    [{ 'if-none-match': 'w/"a"' }, undefined],
    [{ 'if-none-match': '"a" "b"' }, undefined],
    [{ 'if-modified-since': BEFORE }, undefined],
    [{ 'if-modified-since': SAME }, 304],
    [{ 'if-modified-since': AFTER }, undefined],
    [{ 'if-modified-since': 'Thursday, 15-Jan-26 10:00:00 GMT' }, 304],
    [{ 'if-modified-since': 'Thu Jan 15 10:00:00 2026' }, 304],
    [{ 'if-modified-since': '2026-01-15T10:00:00Z' }, undefined],
    // RFC 9110 section 13.2.2: the entity tag overrules the date, in both directions.
    [{ 'if-none-match': '"b"', 'if-modified-since': AFTER }, undefined],
    [{ 'if-none-match': '"a"', 'if-modified-since': BEFORE }, 304],
    [{ 'if-match': '"a"' }, undefined],
    [{ 'if-match': '*' }, undefined],
    [{ 'if-match': '"x", "a"' }, undefined],
    [{ 'if-match': '"b"' }, 412],
    [{ 'if-match': 'W/"a"' }, 412],
    [{ 'if-match': '"b"', 'if-none-match': '"a"' }, 412],
    [{ 'if-match': '"a"', 'if-none-match': '"a"' }, 304],
    [{ 'if-unmodified-since': BEFORE }, 412],
    [{ 'if-unmodified-since': SAME }, undefined],
    [{ 'if-unmodified-since': 'yesterday' }, undefined],
    [{ 'if-match': '"a"', 'if-unmodified-since': BEFORE }, undefined],
  ])('%j → %s', (headers, verdict) => {
    expect(judgePreconditions(headers, file)).toBe(verdict);
  });

  test('a date condition is ignored for a file without a date', () => {
    expect(judgePreconditions({ 'if-modified-since': AFTER }, { etag: '"a"' })).toBeUndefined();
    expect(judgePreconditions({ 'if-unmodified-since': BEFORE }, { etag: '"a"' })).toBeUndefined();
  });
});

describe('judgeIfRange', () => {
  test.each([
    [undefined, true],
    ['"a"', true],
    ['W/"a"', false],
    ['"b"', false],
    [SAME, true],
    [BEFORE, false],
    [AFTER, false],
    ['nonsense', false],
  ])('%s → %s', (ifRange, expected) => {
    expect(judgeIfRange(ifRange, file)).toBe(expected);
  });
});
