import { afterAll, expect, test } from 'vitest';
import { findLastCheck } from '../../src/features/domains/check-store.ts';
import { createDomain } from '../../src/features/domains/create-domain.ts';
import { createDiagnose } from '../../src/features/domains/diagnose-domain.ts';
import { adviseOnDns } from '../../src/features/domains/dns-advice.ts';
import { findDomain, listDomainSummaries } from '../../src/features/domains/domain-store.ts';
import { Turns } from '../../src/platform/concurrency/turns.ts';
import { createLookUp } from '../../src/platform/dns/look-up.ts';
import { newId } from '../../src/platform/ids.ts';
import { addAccount, CNAME_TARGETS } from '../support/accounts.ts';
import { startDnsServer } from '../support/dns-server.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase();
const dns = await startDnsServer();
afterAll(() => dns[Symbol.asyncDispose]());
const options = {
  database,
  newId,
  hostnameRules: { reserved: [], trialNames: [] },
  cnameTargets: CNAME_TARGETS,
  diagnose: createDiagnose(createLookUp([dns.address])),
  diagnosisTurns: new Turns(20),
};

const hostnamesOf = async (account: string) =>
  (await listDomainSummaries(database, account, 100, undefined)).map(({ hostname }) => hostname);

test('a domain waits for its verification, under its canonical name', async () => {
  const account = await addAccount(database);
  const { domain } = await createDomain(options, account, 1, 'Fresh.Example.COM.');
  expect(domain).toMatchObject({
    accountId: account,
    hostname: 'fresh.example.com',
    status: 'pending_verification',
    sslStatus: 'pending',
    cnameTarget: expect.stringMatching(/\.cname\.example\.net$/),
    verifiedAt: null,
  });
  expect(await findDomain(database, domain.id)).toEqual(domain);
});

test('exactly as many of fifty creations at once succeed as the plan allows', async () => {
  const account = await addAccount(database);
  const attempts = await Promise.allSettled(
    Array.from({ length: 50 }, (_, n) => createDomain(options, account, 7, `limit${n}.example.com`)),
  );
  expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(7);
  for (const attempt of attempts) {
    if (attempt.status === 'rejected')
      expect(attempt.reason).toMatchObject({ code: 'VALIDATION_ERROR', options: { details: { limit: 7 } } });
  }
  expect(await hostnamesOf(account)).toHaveLength(7);
});

test('several accounts can register a hostname, each once', async () => {
  const accounts = await Promise.all(Array.from({ length: 8 }, () => addAccount(database)));
  const register = (account: string) => createDomain(options, account, 5, 'contested.example.com');
  const domains = await Promise.all(accounts.map(register));
  expect(new Set(domains.map(({ domain }) => domain.cnameTarget)).size).toBe(8);
  for (const account of accounts) {
    await expect(register(account)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'The hostname contested.example.com is already registered.',
    });
  }
});

test('a hostname in another spelling is the same', async () => {
  const account = await addAccount(database);
  await createDomain(options, account, 5, 'bücher.example.com');
  const again = createDomain(options, account, 5, 'xn--BCHER-kva.example.com.');
  await expect(again).rejects.toMatchObject({ code: 'CONFLICT' });
});

test('deleting a domain makes room below the limit', async () => {
  const account = await addAccount(database);
  const { domain: first } = await createDomain(options, account, 1, 'gone.example.com');
  await expect(createDomain(options, account, 1, 'next.example.com')).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
  await database.query('DELETE FROM domains WHERE id = $1', [first.id]);
  await createDomain(options, account, 1, 'next.example.com');
  expect(await hostnamesOf(account)).toEqual(['next.example.com']);
});

test('a hostname that may not be registered takes no place', async () => {
  const account = await addAccount(database);
  await expect(createDomain(options, account, 1, '127.0.0.1')).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
  expect(await hostnamesOf(account)).toEqual([]);
});

test.each([
  [
    'an apex',
    'acme-shop.com',
    {},
    /^acme-shop\.com looks like the name of your website\. Don't change its DNS\. .*sitemaps\.acme-shop\.com\.$/,
  ],
  ['an apex below a public suffix', 'acme-shop.co.uk', {}, /such as sitemaps\.acme-shop\.co\.uk\.$/],
  [
    'www',
    'www.acme-shop.com',
    {},
    /^www\.acme-shop\.com looks like the name of your website\. Don't change its DNS\./,
  ],
  [
    'a name that answers',
    'shop.acme-shop.com',
    { a: ['198.51.100.7'] },
    /^This looks like your website: shop\.acme-shop\.com is live at 198\.51\.100\.7\. Don't change its DNS\./,
  ],
  [
    'our own proposal that answers',
    'sitemaps.acme-shop.com',
    { a: ['198.51.100.7'] },
    /such as maps\.acme-shop\.com\.$/,
  ],
] as const)('%s is registered with a warning', async (_what, hostname, answer, warning) => {
  const account = await addAccount(database);
  dns.answers.set(hostname, answer);
  const { domain, warnings } = await createDomain(options, account, 5, hostname);
  expect(warnings).toEqual([expect.stringMatching(warning)]);
  expect(domain.website).toBe(true);
  const { problem, judgement } = await findLastCheck(database, domain.id);
  if ('a' in answer) expect(problem).toMatch(/Don't change its DNS/);
  expect(judgement?.state).toBe('a' in answer ? 'website' : 'not_found');
});

test('a name that nothing uses, or that leads here already, is registered without a warning', async () => {
  const account = await addAccount(database);
  const trial = { ...options, hostnameRules: { reserved: [], trialNames: ['localhost', 'test'] } };
  for (const name of ['demo.localhost', 'www.localhost', 'shop.test']) {
    expect((await createDomain(trial, account, 9, name)).warnings).toEqual([]);
  }
  const free = await createDomain(options, account, 9, 'sitemaps.free-name.com');
  expect(free).toMatchObject({ warnings: [], domain: { website: false } });
  const { domain } = await createDomain(options, account, 9, 'other.free-name.com');
  await database.query('DELETE FROM domains WHERE id = $1', [domain.id]);
  dns.answers.set('other.free-name.com', { cname: domain.cnameTarget });
  dns.answers.set(domain.cnameTarget, { a: ['192.0.2.10'] });
  expect((await createDomain(options, account, 9, 'other.free-name.com')).warnings).toEqual([]);
});

test('whoever says that no website uses the name is not warned', async () => {
  const account = await addAccount(database);
  dns.answers.set('old.acme-shop.com', { a: ['198.51.100.7'] });
  const created = await createDomain(options, account, 9, 'old.acme-shop.com', undefined, false);
  expect(created).toMatchObject({ warnings: [], domain: { website: false } });
  const { judgement } = await findLastCheck(database, created.domain.id);
  expect(judgement?.state).toBe('wrong_address');
});

test.each([
  [
    'another name',
    { cname: 'shops.example.net' },
    'wrong_target',
    'The record points to shops.example.net. Change its value.',
  ],
  [
    'an address',
    { a: ['198.51.100.7'] },
    'wrong_address',
    'The name leads to 198.51.100.7. Remove that record, then add this one.',
  ],
  ['nothing', {}, 'not_found', 'New records can take a few minutes.'],
] as const)(
  'the page of a name that leads to %s shows what was found',
  async (_what, answer, state, message) => {
    const account = await addAccount(database);
    const hostname = `${state.replace('_', '-')}.acme-shop.com`;
    dns.answers.set(hostname, answer);
    const { domain } = await createDomain(options, account, 9, hostname, undefined, false);
    const check = await findLastCheck(database, domain.id);
    const advice = adviseOnDns(domain, check);
    expect(advice).toMatchObject({ state, message });
    expect(check.found).toHaveLength(Object.keys(answer).length);
    // That an unused name has no record yet is no check.
    expect(check.checkedAt === null).toBe(state === 'not_found');
  },
);
