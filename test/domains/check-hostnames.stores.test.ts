import { afterAll, beforeEach, expect, test } from 'vitest';
import { checkHostnames } from '../../src/features/domains/check-hostnames.ts';
import { Turns } from '../../src/platform/concurrency/turns.ts';
import { createLookUp } from '../../src/platform/dns/look-up.ts';
import { addAccount, addDomain } from '../support/accounts.ts';
import { startDnsServer } from '../support/dns-server.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase();
const dns = await startDnsServer();
afterAll(() => dns[Symbol.asyncDispose]());
const account = await addAccount(database);
const options = {
  database,
  hostnameRules: { reserved: ['waypost.example.net'], trialNames: ['localhost'] },
  lookUp: createLookUp([dns.address]),
  diagnosisTurns: new Turns(20),
};
const check = async (...given: string[]) => checkHostnames(options, account, given);

beforeEach(() => dns.answers.clear());

test.each([
  ['sitemaps.acme-shop.com', 'free', null],
  ['demo.localhost', 'free', null],
  ['www.acme-shop.com', 'website', 'sitemaps.acme-shop.com'],
  ['acme-shop.co.uk', 'website', 'sitemaps.acme-shop.co.uk'],
  ['shop.acme-shop.com', 'website', 'sitemaps.acme-shop.com'],
  ['blog.acme-shop.com', 'website', 'sitemaps.acme-shop.com'],
  ['m.acme-shop.com', 'website', 'sitemaps.acme-shop.com'],
  ['co.uk', 'invalid', null],
  ['127.0.0.1', 'invalid', null],
  ['a.waypost.example.net', 'invalid', null],
])('%s is %s', async (given, state, suggestion) => {
  const [checked] = await check(given);
  expect(checked).toMatchObject({ given, state, suggestion, addresses: [] });
  if (state === 'website') expect(checked!.message).toMatch(/Don't change its DNS/);
});

test('a live name is a website, whatever it is called', async () => {
  dns.answers.set('katalog.acme-shop.com', { cname: 'shops.example.org' });
  dns.answers.set('shops.example.org', { a: ['198.51.100.7'] });
  expect(await check('katalog.acme-shop.com')).toMatchObject([
    {
      state: 'website',
      message: expect.stringMatching(/is live at 198\.51\.100\.7/),
      suggestion: 'sitemaps.acme-shop.com',
      addresses: ['198.51.100.7'],
    },
  ]);
});

test('the addresses of a wildcard make no website, unless websites have such names', async () => {
  dns.answers.set('*.acme-shop.com', { a: ['198.51.100.7'] });
  const states = (await check('sitemaps.acme-shop.com', 'www.acme-shop.com')).map(({ state }) => state);
  expect(states).toEqual(['free', 'website']);
});

test('names that somebody has are not looked up', async () => {
  const other = await addAccount(database);
  const mine = await addDomain(database, account, 'mine.acme-shop.com');
  const held = await addDomain(database, other, 'held.acme-shop.com');
  await addDomain(database, other, 'pending.acme-shop.com');
  await database.query("UPDATE domains SET status = 'verified' WHERE id = $1", [held.id]);
  dns.asked.length = 0;
  const checked = await check(mine.hostname, held.hostname, 'pending.acme-shop.com');
  expect(checked.map(({ state }) => state)).toEqual(['yours', 'taken', 'free']);
  expect(new Set(dns.asked)).toEqual(new Set(['pending.acme-shop.com']));
});

test('fifty names are answered in their order, with their Unicode, while a resolver is silent for some', async () => {
  const given = Array.from({ length: 49 }, (_, n) => `maps${n}.acme-shop.com`);
  for (const name of given.slice(0, 5)) dns.answers.set(name, 'silence');
  const checked = await check(...given, 'Bücher.Example.com');
  expect(checked.map(({ given: text }) => text)).toEqual([...given, 'Bücher.Example.com']);
  expect(new Set(checked.map(({ state }) => state))).toEqual(new Set(['free']));
  expect(checked.at(-1)).toMatchObject({
    hostname: 'xn--bcher-kva.example.com',
    unicode: 'bücher.example.com',
  });
});
