import { afterAll, expect, test } from 'vitest';
import { createCnameLookUp } from '../../src/domains/look-up-cname.ts';
import { type DnsAnswer, startDnsServer } from '../service/support/dns-server.ts';

const dns = await startDnsServer();
afterAll(() => dns[Symbol.asyncDispose]());
const lookUp = createCnameLookUp([dns.address]);

test.each<[string, DnsAnswer, object]>([
  ['a record', { cname: 'target.example.net' }, { kind: 'found', target: 'target.example.net' }],
  [
    'a record in capitals and with a dot at its end',
    { cname: 'Target.Example.NET.' },
    { kind: 'found', target: 'target.example.net' },
  ],
  [
    'a record to a name with an underscore',
    { cname: '_x.example.net' },
    { kind: 'found', target: '_x.example.net' },
  ],
  ['an address and no record', { address: '192.0.2.1' }, { kind: 'none' }],
  ['no such name', 'no such name', { kind: 'none' }],
  ['a server that fails', 'server failure', { kind: 'failed' }],
  ['a server that says nothing', 'silence', { kind: 'failed' }],
])('%s', async (_, answer, expected) => {
  dns.answers.set('maps.example.com', answer);
  expect(await lookUp('maps.example.com')).toEqual(expected);
});

test('a record that has just appeared is seen: nothing is remembered', async () => {
  dns.answers.set('new.example.com', 'no such name');
  expect(await lookUp('new.example.com')).toEqual({ kind: 'none' });
  dns.answers.set('new.example.com', { cname: 'target.example.net' });
  expect(await lookUp('new.example.com')).toEqual({ kind: 'found', target: 'target.example.net' });
});

test('no resolver at that address is a failure, not an absence', async () => {
  expect(await createCnameLookUp(['127.0.0.1:1'])('maps.example.com')).toEqual({ kind: 'failed' });
});
