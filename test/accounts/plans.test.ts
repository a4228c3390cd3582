import { expect, test } from 'vitest';
import { isPlanName, PLAN_NAMES, readPlans, replacedBytesOf } from '../../src/features/accounts/plans.ts';
import { ConfigError } from '../../src/platform/process/config-error.ts';

test('the rates, domains and URLs of the plans are those of spec 8 and 4.1', () => {
  const limits = Object.entries(readPlans()).map(([name, plan]) => [
    name,
    plan.requestsPerMinute,
    plan.domains,
    plan.urlsPerUpload,
  ]);
  expect(limits).toEqual([
    ['free', 5, 1, 10_000],
    ['starter', 20, 3, 100_000],
    ['pro', 100, 5, 500_000],
    ['business', 500, 50, 5_000_000],
    ['enterprise', 1000, 1000, 100_000_000],
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
  '{',
  '[]',
  'null',
  '{"gold":{}}',
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
