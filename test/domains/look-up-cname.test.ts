import { afterAll, expect, test } from 'vitest';
import { createCnameLookUp } from '../../src/domains/look-up-cname.ts';
import { type DnsAnswer, startDnsServer } from '../service/support/dns-server.ts';

/** Some 1,300 bytes. */
const LONG_CHAIN = Array.from({ length: 10 }, (_, hop): [string, string] => [
  hop === 0 ? 'maps.example.com' : longName(hop),
  longName(hop + 1),
]);

function longName(hop: number): string {
  return `${String(hop).padEnd(60, 'x')}.${String(hop).padEnd(60, 'y')}.example.net`;
}

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
  ['a record of another owner', { records: [['other.example.com', 'target.example.net']] }, { kind: 'none' }],
  [
    'a record of a name below it',
    { records: [['x.maps.example.com', 'target.example.net']] },
    { kind: 'none' },
  ],
  [
    'a chain, of which only the first hop counts, in whatever order',
    {
      records: [
        ['b.example.com', 'target.example.net'],
        ['Maps.Example.com', 'b.example.com'],
      ],
    },
    { kind: 'found', target: 'b.example.com' },
  ],
  [
    'an answer that is too large for UDP',
    { records: LONG_CHAIN },
    { kind: 'found', target: LONG_CHAIN[0]![1] },
  ],
  ['an address and no record', { address: '192.0.2.1' }, { kind: 'none' }],
  ['no such name', 'no such name', { kind: 'none' }],
  ['a server that fails', 'server failure', { kind: 'failed' }],
  ['a server that says nothing', 'silence', { kind: 'failed' }],
])('%s', async (_, answer, expected) => {
  dns.answers.set('maps.example.com', answer);
  expect(await lookUp('maps.example.com')).toEqual(expected);
});

test('a new record is seen at once: nothing is cached', async () => {
  dns.answers.set('new.example.com', 'no such name');
  expect(await lookUp('new.example.com')).toEqual({ kind: 'none' });
  dns.answers.set('new.example.com', { cname: 'target.example.net' });
  expect(await lookUp('new.example.com')).toEqual({ kind: 'found', target: 'target.example.net' });
});

test('an address without a resolver is a failure, not an absence', async () => {
  expect(await createCnameLookUp(['127.0.0.1:1'])('maps.example.com')).toEqual({ kind: 'failed' });
});

test('the next server is asked if one is unreachable, silent or fails', async () => {
  await using second = await startDnsServer();
  second.answers.set('next.example.com', { cname: 'target.example.net' });
  const found = { kind: 'found', target: 'target.example.net' };
  for (const answer of ['silence', 'server failure'] as const) {
    dns.answers.set('next.example.com', answer);
    expect(await createCnameLookUp([dns.address, second.address])('next.example.com')).toEqual(found);
  }
  expect(await createCnameLookUp(['127.0.0.1:1', second.address])('next.example.com')).toEqual(found);
  // "No such name" is a final answer.
  dns.answers.set('next.example.com', 'no such name');
  expect(await createCnameLookUp([dns.address, second.address])('next.example.com')).toEqual({
    kind: 'none',
  });
});

test('a server may have an IPv6 address', async () => {
  await using server = await startDnsServer('::1');
  server.answers.set('maps.example.com', { records: LONG_CHAIN });
  const answer = await createCnameLookUp([server.address])('maps.example.com');
  expect(answer).toEqual({ kind: 'found', target: LONG_CHAIN[0]![1] });
});
