/** Spec 8, spec D12: requests per minute. */
import { expect, test } from 'vitest';
import { createCustomer, customerWith } from './support/customer.ts';
import { entries, uploadDocument } from './support/entries.ts';
import { useWaypost } from './support/use-waypost.ts';
import { cli } from './support/waypost.ts';

const waypost = await useWaypost();

test.each([
  ['free', 5],
  ['starter', 20],
  ['pro', 100],
  ['business', 500],
  ['enterprise', 1000],
])('8 the plan %s allows %i requests a minute', async (plan, limit) => {
  const customer = await createCustomer(waypost, plan);
  const { headers } = await customer.call('GET /api/domains');
  expect(headers['ratelimit-limit']).toBe(String(limit));
  expect(headers['ratelimit-remaining']).toBe(String(limit - 1));
  const reset = Number(headers['ratelimit-reset']);
  expect(reset).toBeGreaterThan(0);
  expect(reset).toBeLessThanOrEqual(60);
});

test('8 a request over the limit is refused, and the answer says when to come back', async () => {
  const customer = await createCustomer(waypost, 'free');
  const remaining = [];
  for (let n = 0; n < 5; n++) {
    // Refused requests count too.
    const route = n % 2 ? 'GET /api/domains' : 'GET /api/domains/domain_0000000000000000000000';
    const { status, headers } = await customer.call(route);
    expect(status).toBe(n % 2 ? 200 : 404);
    remaining.push(headers['ratelimit-remaining']);
  }
  expect(remaining).toEqual(['4', '3', '2', '1', '0']);

  const { status, headers, json } = await customer.call('GET /api/domains');
  expect(status).toBe(429);
  expect(json.error).toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    message: expect.stringMatching(
      /^Too many requests: 5 a minute are allowed\. Try again in \d+ seconds\.$/,
    ),
  });
  const retryAfter = headers['retry-after'] ?? '';
  expect(retryAfter).toMatch(/^\d+$/);
  expect(Number(retryAfter)).toBeGreaterThan(0);
  expect(Number(retryAfter)).toBeLessThanOrEqual(60);
  expect(headers).toMatchObject({ 'ratelimit-limit': '5', 'ratelimit-remaining': '0' });
  expect(headers['ratelimit-reset']).toBe(retryAfter);
});

test('8 an upload over the limit is refused while its client is still writing', async () => {
  const customer = await createCustomer(waypost, 'free');
  const { hostname } = await customer.createDomain();
  for (let n = 0; n < 4; n++) await customer.call('GET /api/domains');
  const { status } = await customer.upload(uploadDocument({ domain: hostname }, 500_000));
  expect(status).toBe(429);
});

test('spec D12 exactly the limit of 20 requests at once is let through', async () => {
  const customer = await createCustomer(waypost, 'free');
  const answers = await Promise.all(Array.from({ length: 20 }, () => customer.call('GET /api/domains')));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(15);
});

test('spec D12 the limit belongs to the account, for all its keys and both headers', async () => {
  const customer = await createCustomer(waypost, 'free');
  const other = customerWith(
    waypost,
    customer.accountId,
    await cli(waypost.dataDir, 'key', 'create', customer.accountId, 'other'),
  );
  for (let n = 0; n < 3; n++) await customer.call('GET /api/domains');
  const { headers } = await other.call('GET /api/domains');
  expect(headers['ratelimit-remaining']).toBe('1');
  await other.call('GET /api/domains');
  expect((await customer.call('GET /api/domains')).status).toBe(429);
  expect((await other.call('GET /api/domains')).status).toBe(429);
  // Another account is not affected.
  const neighbour = await createCustomer(waypost, 'free');
  expect((await neighbour.call('GET /api/domains')).status).toBe(200);
});

test('a change of plan applies to the next request, and keeps the count', async () => {
  const customer = await createCustomer(waypost, 'free');
  for (let n = 0; n < 6; n++) await customer.call('GET /api/domains');
  await cli(waypost.dataDir, 'account', 'set-plan', customer.accountId, 'starter');
  const { status, headers } = await customer.call('GET /api/domains');
  expect(status).toBe(200);
  expect(headers).toMatchObject({ 'ratelimit-limit': '20', 'ratelimit-remaining': '13' });
  for (let n = 0; n < 3; n++) await customer.createDomain();
  const { hostname } = (await customer.call('GET /api/domains')).json.data[0];
  expect((await customer.upload(uploadDocument({ domain: hostname }, 10_001))).status).toBe(200);
  await cli(waypost.dataDir, 'account', 'set-plan', customer.accountId, 'free');
  expect((await customer.upload({ domain: hostname, urls: entries(1) })).status).toBe(429);
});

test('8 an unauthenticated request has no rate limit headers', async () => {
  const customer = customerWith(waypost, '', `sk_live_${'x'.repeat(32)}`);
  const { status, headers } = await customer.call('GET /api/domains');
  expect(status).toBe(401);
  expect(headers).not.toHaveProperty('ratelimit-limit');
});
