import { expect, test } from 'vitest';
import { isPlanName, PLAN_NAMES, readPlans, replacedBytesOf } from '../../src/accounts/plans.ts';
import { ConfigError } from '../../src/platform/process/config-error.ts';

test('the request rates are those of spec 8', () => {
  const rates = Object.entries(readPlans()).map(([name, { requestsPerMinute }]) => [name, requestsPerMinute]);
  expect(rates).toEqual([
    ['free', 5],
    ['starter', 20],
    ['pro', 100],
    ['business', 500],
    ['enterprise', 1000],
  ]);
});

test('each plan has room for bytes and sitemaps (spec D31)', () => {
  const room = Object.values(readPlans()).map((plan) => [plan.storedBytes, plan.sitemapsPerDomain]);
  expect(room).toEqual([
    [1e8, 10],
    [1e9, 50],
    [1e10, 200],
    [1e11, 1000],
    [2e12, 10_000],
  ]);
});

test('replaced content may take ten times as much', () => {
  const plans = readPlans('{"free":{"storedBytes":7,"sitemapsPerDomain":3}}');
  expect(plans.free).toMatchObject({ storedBytes: 7, sitemapsPerDomain: 3 });
  expect(replacedBytesOf(plans)).toMatchObject({ free: 70, enterprise: 2e13 });
});

test('an override changes only the limits that it names', () => {
  const plans = readPlans('{"free":{"domains":2},"pro":{"urlsPerUpload":7,"requestsPerMinute":1}}');
  const defaults = readPlans();
  expect(plans).toEqual({
    ...defaults,
    free: { ...defaults.free, domains: 2 },
    pro: { ...defaults.pro, urlsPerUpload: 7, requestsPerMinute: 1 },
  });
});

test.each([
  'free',
  '[]',
  'null',
  '{"gold":{"domains":1}}',
  '{"free":{"domain":1}}',
  '{"free":{"domains":0}}',
  '{"free":{"domains":1.5}}',
  '{"free":{"domains":"2"}}',
  '{"free":null}',
])('the override %s is a ConfigError that names PLANS', (overrides) => {
  expect(() => readPlans(overrides)).toThrow(ConfigError);
  expect(() => readPlans(overrides)).toThrow('PLANS');
});

test('only names of plans are accepted as plans', () => {
  for (const name of PLAN_NAMES) expect(isPlanName(name)).toBe(true);
  for (const name of ['', 'Free', 'gold', 'toString', '__proto__']) expect(isPlanName(name)).toBe(false);
});
