import { expect, test } from 'vitest';
import { parseExpiry } from '../../src/cli/key-commands.ts';
import { UsageError } from '../../src/cli/usage-error.ts';

const NOW = new Date('2026-01-15T10:00:00Z');

test.each([
  ['90d', '2026-04-15T10:00:00.000Z'],
  ['12h', '2026-01-15T22:00:00.000Z'],
  ['4w', '2026-02-12T10:00:00.000Z'],
  ['2026-01-16', '2026-01-16T00:00:00.000Z'],
  ['2026-01-15T10:00:01Z', '2026-01-15T10:00:01.000Z'],
  ['2026-01-15T12:00:01+02:00', '2026-01-15T10:00:01.000Z'],
  ['2028-02-29', '2028-02-29T00:00:00.000Z'],
])('%s is %s', (text, time) => {
  expect(parseExpiry(text, NOW).toISOString()).toBe(time);
});

test.each([
  '',
  '90',
  'd',
  '-1d',
  '1.5d',
  '3m',
  '90 d',
  'tomorrow',
  '2026-02-30',
  '2026-1-16',
  '2026-01-15T12:00',
])('%j is not a time', (text) => {
  expect(() => parseExpiry(text, NOW)).toThrow(UsageError);
  expect(() => parseExpiry(text, NOW)).toThrow(/not a time.*90d/);
});

test.each(['0d', '2026-01-15', '2026-01-15T10:00:00Z', '1999-12-31'])('%s is in the past', (text) => {
  expect(() => parseExpiry(text, NOW)).toThrow(/in the past/);
});

test.each(['9999999d', '99999999999999999999w'])('%s is too far away', (text) => {
  expect(() => parseExpiry(text, NOW)).toThrow(/too far away/);
});
