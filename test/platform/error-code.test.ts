import { expect, test } from 'vitest';
import { errorCode, hasCode } from '../../src/platform/error-code.ts';

const missing = Object.assign(new Error('missing'), { code: 'ENOENT' });

test('the code of an error, if it has one', () => {
  expect(errorCode(missing)).toBe('ENOENT');
  expect(errorCode(new Error('of no kind'))).toBeUndefined();
  expect(errorCode({ code: 'ENOENT' })).toBeUndefined();
});

test('an error has one of several codes, or none of them', () => {
  expect(hasCode(missing, 'ENOENT', 'ENOTDIR')).toBe(true);
  expect(hasCode(missing, 'ENOTDIR')).toBe(false);
  expect(hasCode(new Error('of no kind'), undefined)).toBe(false);
  expect(hasCode('ENOENT', 'ENOENT')).toBe(false);
});
