import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { createAddressLookup } from '../../../src/platform/dns/address-lookup.ts';
import { createLookUp } from '../../../src/platform/dns/look-up.ts';
import { startDnsServer } from '../../support/dns-server.ts';

const dns = await startDnsServer();
afterAll(() => dns[Symbol.asyncDispose]());
const lookup = createAddressLookup(createLookUp([dns.address]));
const all = (name: string) =>
  new Promise((resolve, reject) =>
    lookup(name, { all: true }, (error, found) => (error ? reject(error) : resolve(found))),
  );

test('a name has its addresses of both families, also behind a CNAME record', async () => {
  dns.answers.set('www.example.com', { a: ['192.0.2.1', '192.0.2.2'], aaaa: ['2001:db8::1'] });
  dns.answers.set('alias.example.com', { cname: 'www.example.com' });
  for (const name of ['www.example.com', 'WWW.example.com.', 'alias.example.com']) {
    expect(await all(name)).toEqual([
      { address: '192.0.2.1', family: 4 },
      { address: '192.0.2.2', family: 4 },
      { address: '2001:db8::1', family: 6 },
    ]);
  }
  expect(await promisify(lookup)('www.example.com', {})).toBe('192.0.2.1');
});

test('one family is enough, though the other one fails', async () => {
  dns.answers.set('half.example.com', { a: ['192.0.2.3'], failing: ['AAAA'] });
  expect(await all('half.example.com')).toEqual([{ address: '192.0.2.3', family: 4 }]);
});

test.each(['no such name', {}] as const)('%o is no address', async (answer) => {
  dns.answers.set('none.example.com', answer);
  await expect(all('none.example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

test.each(['server failure', 'silence', { failing: ['A'] }] as const)(
  '%o does not say that there is no such host',
  async (answer) => {
    dns.answers.set('unknown.example.com', answer);
    await expect(all('unknown.example.com')).rejects.toMatchObject({ code: 'EAI_AGAIN' });
  },
);

test('a name that no DNS message can hold is no address', async () => {
  await expect(all(`${'a'.repeat(200)}.example.com`)).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

test('names below localhost are this machine, and nobody is asked', async () => {
  dns.asked.length = 0;
  expect(await all('demo.localhost')).toEqual([{ address: '127.0.0.1', family: 4 }]);
  expect(dns.asked).toEqual([]);
});
