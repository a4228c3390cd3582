import { expect, test } from 'vitest';
import { planRoutes } from '../../src/edges/dashboard/account-routes.ts';
import { readPlans } from '../../src/features/accounts/plans.ts';
import { createRateLimits } from '../../src/features/accounts/rate-limits.ts';
import { findRequests } from '../../src/features/accounts/request-count-store.ts';
import { openUploadViews } from '../../src/features/uploads/open-upload-views.ts';
import { verbsOn } from '../../src/platform/verb.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { addSignedIn } from '../support/people.ts';
import { plainEntries } from '../uploads/batches.ts';
import { createUploadFixture } from '../uploads/upload-fixture.ts';
import { startRoutes } from './start-routes.ts';

const fixture = await createUploadFixture();
const { database, upload } = fixture;
const plans = readPlans('{"pro":{"domains":7,"requestsPerMinute":11}}');
const rateLimits = createRateLimits(database, plans);
const admission = verbsOn(database, { findRequests });
const options = { plans, admission, uploads: openUploadViews(fixture), uploadsPerAccount: 3 };
const call = await startRoutes(database, (signedIn) => [planRoutes(options, signedIn)]);

async function metersOf(person: Awaited<ReturnType<typeof addSignedIn>>) {
  const { status, json } = await call(person, 'GET /dashboard/api/plan');
  expect({ status, name: json.data.name }).toEqual({ status: 200, name: 'pro' });
  return json.data.meters;
}

test('an empty account uses nothing, of the limits of this process', async () => {
  const person = await addSignedIn(database, await addAccount(database, 'pro'));
  expect(await metersOf(person)).toEqual([
    { name: 'domains', used: 0, limit: 7, of: null },
    { name: 'urlsPerUpload', used: 0, limit: 500_000, of: null },
    { name: 'requestsPerMinute', used: 0, limit: 11, of: null },
    { name: 'storedBytes', used: 0, limit: 10e9, of: null },
    { name: 'sitemapsPerDomain', used: 0, limit: 200, of: null },
    { name: 'uploadsAtOnce', used: 0, limit: 3, of: null },
  ]);
});

test('the meters have the largest live upload, the fullest domain, and what only this account uses', async () => {
  const [accountId, other] = [await addAccount(database, 'pro'), await addAccount(database, 'pro')];
  const person = await addSignedIn(database, accountId, 'member');
  const [large, full] = [
    await addVerifiedDomain(database, accountId),
    await addVerifiedDomain(database, accountId),
  ];
  const foreign = await addVerifiedDomain(database, other);
  const publish = (account: string, domain: string, urls: number, sitemapName?: string) =>
    upload(account, { domain, ...(sitemapName && { sitemapName }), force: true, urls: plainEntries(urls) });
  // Replaced, so it no longer counts.
  await publish(accountId, large.hostname, 90);
  await publish(accountId, large.hostname, 30);
  await publish(accountId, full.hostname, 2, 'one');
  await publish(accountId, full.hostname, 3, 'two');
  await publish(other, foreign.hostname, 99);
  for (let n = 0; n < 13; n++) await rateLimits.countRequest(accountId, 'pro');
  await database.query(
    `INSERT INTO upload_slots (account_id, n, holder, expires_at)
     VALUES ($1, 1, 'a', now() + interval '1 hour'), ($1, 2, 'b', now() - interval '1 hour'), ($2, 1, 'c', now() + interval '1 hour')`,
    [accountId, other],
  );
  const { rows } = await database.query(
    'SELECT sum(stored_bytes)::integer AS bytes FROM domains WHERE account_id = $1',
    [accountId],
  );
  expect(rows[0].bytes).toBeGreaterThan(0);
  const meters = [
    { name: 'domains', used: 2, limit: 7, of: null },
    { name: 'urlsPerUpload', used: 30, limit: 500_000, of: large.hostname },
    { name: 'requestsPerMinute', used: 13, limit: 11, of: null },
    { name: 'storedBytes', used: rows[0].bytes, limit: 10e9, of: null },
    { name: 'sitemapsPerDomain', used: 2, limit: 200, of: full.hostname },
    { name: 'uploadsAtOnce', used: 1, limit: 3, of: null },
  ];
  expect(await metersOf(person)).toEqual(meters);
  // A look at the plan is no request of the plan.
  expect(await metersOf(person)).toEqual(meters);
});

test('the largest upload is found beside many small ones of a domain with more URLs, and in domains whose sums are outdated', async () => {
  const accountId = await addAccount(database, 'pro');
  const [many, one] = [
    await addVerifiedDomain(database, accountId),
    await addVerifiedDomain(database, accountId),
  ];
  const publish = (domain: string, sitemapName: string, urls: number) =>
    upload(accountId, { domain, sitemapName, urls: plainEntries(urls) });
  for (const [name, urls] of Object.entries({ a: 4, b: 9, c: 5 })) await publish(many.hostname, name, urls);
  await publish(one.hostname, 'a', 8);
  const peaks = { largestUpload: [many.hostname, 9], fullestDomain: [many.hostname, 3] };
  const found = async () =>
    Object.fromEntries(
      Object.entries(await options.uploads.findPeaks(accountId)).map(([name, peak]) => [
        name,
        peak && [peak.hostname, peak.count],
      ]),
    );
  expect(await found()).toEqual(peaks);
  await database.query('UPDATE domains SET counted_generation = NULL, url_count = 0 WHERE account_id = $1', [
    accountId,
  ]);
  expect(await found()).toEqual(peaks);
  await publish(one.hostname, 'b', 10);
  expect(await found()).toEqual({ ...peaks, largestUpload: [one.hostname, 10] });
});

test('requests of the last minute do not count in the next', async () => {
  const accountId = await addAccount(database, 'pro');
  await rateLimits.countRequest(accountId, 'pro');
  expect(await admission.findRequests(accountId)).toBe(1);
  await database.query('UPDATE request_days SET ends_at = 1');
  expect(await admission.findRequests(accountId)).toBe(0);
  expect((await call(undefined, 'GET /dashboard/api/plan')).status).toBe(401);
});
