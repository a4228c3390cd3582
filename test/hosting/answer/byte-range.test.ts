import { expect, test } from 'vitest';
import { chooseRange, contentRange } from '../../../src/edges/hosting/answer/byte-range.ts';

test.each([
  [undefined, undefined],
  ['bytes=0-0', { offset: 0, length: 1 }],
  ['bytes=0-99', { offset: 0, length: 100 }],
  ['BYTES=90-', { offset: 90, length: 10 }],
  ['bytes= 1-2 ', { offset: 1, length: 2 }],
  ['bytes=99-1000', { offset: 99, length: 1 }],
  ['bytes=5-99999999999999999999999', { offset: 5, length: 95 }],
  ['bytes=-1', { offset: 99, length: 1 }],
  ['bytes=-1000', { offset: 0, length: 100 }],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=99999999999999999999999-', 'unsatisfiable'],
  ['bytes=2-1', undefined],
  ['bytes=-', undefined],
  ['bytes=', undefined],
  ['bytes=0-1,5-6', undefined],
  ['bytes=0x1-2', undefined],
  ['bytes 0-1', undefined],
  ['items=0-1', undefined],
])('%s of 100 bytes → %j', (range, expected) => {
  expect(chooseRange(range, 100)).toEqual(expected);
});

test('Content-Range names the part and the whole', () => {
  expect(contentRange(100, { offset: 90, length: 10 })).toBe('bytes 90-99/100');
  expect(contentRange(100)).toBe('bytes */100');
});
