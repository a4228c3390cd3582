import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  findDomainSummary,
  findDomainsByHostname,
  listDomainSummaries,
} from '../../src/features/domains/domain-store.ts';
import { createGetDomain, getOwnDomain } from '../../src/features/domains/own-domain.ts';
import { addAccount, addDomain, addVerifiedDomain } from '../support/accounts.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';
import { plainEntries } from '../uploads/batches.ts';
import { createUploadFixture } from '../uploads/upload-fixture.ts';

const { database, upload } = await createUploadFixture();
const getDomain = createGetDomain(database);

test('pages are newest first, without gaps or repetitions, also while domains are added', async () => {
  const account = await addAccount(database);
  const added: string[] = [];
  for (let n = 0; n < 7; n++) added.unshift((await addDomain(database, account)).id);
  await addDomain(database, await addAccount(database));
  const seen: string[] = [];
  let before: number | undefined;
  for (;;) {
    const page = await listDomainSummaries(database, account, 3, before);
    seen.push(...page.map(({ id }) => id));
    before = page.at(-1)?.position;
    if (page.length < 3) break;
    await addDomain(database, account);
  }
  expect(seen).toEqual(added);
});

test('a summary adds up live uploads and ignores replaced ones', async () => {
  const account = await addAccount(database);
  const { id, hostname } = await addVerifiedDomain(database, account);
  expect(await findDomainSummary(database, id)).toMatchObject({
    urlCount: 0,
    sitemapCount: 0,
    lastUpdated: null,
  });
  await upload(account, { domain: hostname, urls: plainEntries(9) });
  await upload(account, { domain: hostname, sizeLimit: 'gsc-optimized', urls: plainEntries(1500) });
  await upload(account, { domain: hostname, sitemapName: 'blog', urls: plainEntries(20) });
  const expected = { urlCount: 1520, sitemapCount: 3, lastUpdated: new Date('2026-01-15T10:00:00Z') };
  expect(await findDomainSummary(database, id)).toMatchObject(expected);
  expect(await listDomainSummaries(database, account, 10, undefined)).toMatchObject([expected]);
});

test('a domain knows how many URLs it had seven days ago, from the days of its changes', async () => {
  const account = await addAccount(database);
  const { id, hostname } = await addVerifiedDomain(database, account);
  const week = async () => (await findDomainSummary(database, id))!.urlsAWeekAgo;
  /** Moves the known numbers back by so many days. */
  const pass = (days: number) =>
    database.query(
      'UPDATE domains SET past_days = (SELECT array_agg(day - $2::integer ORDER BY day) FROM unnest(past_days) AS day) WHERE id = $1',
      [id, days],
    );
  expect(await week()).toBeNull();
  let urls = 0;
  const grow = () => {
    urls += 3;
    return upload(account, { domain: hostname, urls: plainEntries(urls) });
  };
  await grow();
  await grow();
  expect(await week()).toBe(0);
  await pass(7);
  expect(await week()).toBeNull();
  await grow();
  expect(await week()).toBe(6);
  for (let day = 0; day < 9; day++) {
    await pass(1);
    await grow();
  }
  // Today and the six days before it changed the number; before them it was that of the seventh day.
  expect(await week()).toBe(urls - 7 * 3);
  const { rows } = await database.query('SELECT past_days, past_urls FROM domains WHERE id = $1', [id]);
  expect([rows[0].past_days.length, rows[0].past_urls.length]).toEqual([8, 8]);
});

test("another account's domain is forbidden by id, and absent by hostname", async () => {
  const [owner, other] = [await addAccount(database), await addAccount(database)];
  const domain = await addDomain(database, owner);
  expect(await getOwnDomain(database, owner, domain.id)).toEqual(domain);
  expect(await getDomain(owner, domain.hostname.toUpperCase())).toEqual(domain);
  await expect(getOwnDomain(database, other, domain.id)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(getOwnDomain(database, owner, 'domain_none')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(getDomain(other, domain.hostname)).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  await expect(getDomain(owner, 'not a name')).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(await findDomainsByHostname(database, [{ accountId: other, hostname: domain.hostname }])).toEqual([
    undefined,
  ]);
});

test('many hostnames at once lead where each of them leads alone', async () => {
  const accounts = [await addAccount(database), await addAccount(database)];
  const shared = (await addDomain(database, accounts[0]!)).hostname;
  const domains = [
    await addDomain(database, accounts[0]!),
    await addDomain(database, accounts[1]!),
    await addDomain(database, accounts[1]!, shared),
  ];
  const hostnames = [
    shared,
    ...domains.map(({ hostname }) => hostname),
    'none.example.com',
    'no name',
    '\0',
    '\ud800.com',
  ];
  const alone = async (accountId: string, hostname: string) => {
    const { rows } = await database.query('SELECT id FROM domains WHERE account_id = $1 AND hostname = $2', [
      accountId,
      hostname.replace(/\0|\ud800/, '?'),
    ]);
    return rows[0]?.id ?? 'NOT_FOUND';
  };
  const pair = fc.tuple(fc.constantFrom(...accounts), fc.constantFrom(...hostnames));
  await fc.assert(
    fc.asyncProperty(fc.array(pair, { maxLength: 20 }), async (pairs) => {
      const found = pairs.map(([accountId, hostname]) =>
        getDomain(accountId, hostname).then(
          ({ id }) => id,
          ({ code }) => code,
        ),
      );
      expect(await Promise.all(found)).toEqual(await Promise.all(pairs.map((asked) => alone(...asked))));
    }),
    { numRuns: PROPERTY_RUNS },
  );
});
