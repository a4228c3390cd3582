import { afterAll, expect, test } from 'vitest';
import {
  chainOf,
  createLookUp,
  type DnsAnswer as Found,
  recordsIn,
  recordsOf,
} from '../../../src/platform/dns/look-up.ts';
import { type DnsAnswer, startDnsServer } from '../../support/dns-server.ts';

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

/** The target of the name's own CNAME record, or why there is none. */
async function lookUpCname(name: string, servers = [dns.address]): Promise<string> {
  const answer: Found = await createLookUp(servers)(name, 'CNAME', performance.now() + 5000);
  if (answer.kind === 'failed') return `failed: ${answer.reason}`;
  return chainOf(name, recordsIn(answer))[1] ?? (answer.exists ? 'none' : 'no such name');
}

test.each<[string, DnsAnswer, string]>([
  ['a record', { cname: 'target.example.net' }, 'target.example.net'],
  ['a record in capitals and with a dot at its end', { cname: 'Target.Example.NET.' }, 'target.example.net'],
  ['a record to a name with an underscore', { cname: '_x.example.net' }, '_x.example.net'],
  ['a record of another owner', { records: [['other.example.com', 'target.example.net']] }, 'none'],
  ['a record of a name below it', { records: [['x.maps.example.com', 'target.example.net']] }, 'none'],
  [
    'a chain, of which only the first hop counts, in whatever order',
    {
      records: [
        ['b.example.com', 'target.example.net'],
        ['Maps.Example.com', 'b.example.com'],
      ],
    },
    'b.example.com',
  ],
  ['an answer that is too large for UDP', { records: LONG_CHAIN }, LONG_CHAIN[0]![1]],
  ['an address and no record', { a: ['192.0.2.1'] }, 'none'],
  ['no such name', 'no such name', 'no such name'],
  ['a server that fails', 'server failure', 'failed: SERVFAIL'],
  ['a server that says nothing', 'silence', 'failed: no answer'],
])('%s', async (_, answer, expected) => {
  dns.answers.set('maps.example.com', answer);
  expect(await lookUpCname('maps.example.com')).toBe(expected);
});

test('a new record is seen at once: nothing is cached', async () => {
  dns.answers.set('new.example.com', 'no such name');
  expect(await lookUpCname('new.example.com')).toBe('no such name');
  dns.answers.set('new.example.com', { cname: 'target.example.net' });
  expect(await lookUpCname('new.example.com')).toBe('target.example.net');
});

test('an address without a resolver is a failure, not an absence', async () => {
  expect(await lookUpCname('maps.example.com', ['127.0.0.1:1'])).toBe('failed: no answer');
});

test('the next server is asked if one is unreachable, silent or fails', async () => {
  await using second = await startDnsServer();
  second.answers.set('next.example.com', { cname: 'target.example.net' });
  const found = 'target.example.net';
  for (const answer of ['silence', 'server failure'] as const) {
    dns.answers.set('next.example.com', answer);
    expect(await lookUpCname('next.example.com', [dns.address, second.address])).toEqual(found);
  }
  expect(await lookUpCname('next.example.com', ['127.0.0.1:1', second.address])).toEqual(found);
  // "No such name" is a final answer.
  dns.answers.set('next.example.com', 'no such name');
  expect(await lookUpCname('next.example.com', [dns.address, second.address])).toEqual('no such name');
});

test('a server may have an IPv6 address', async () => {
  await using server = await startDnsServer('::1');
  server.answers.set('maps.example.com', { records: LONG_CHAIN });
  const answer = await lookUpCname('maps.example.com', [server.address]);
  expect(answer).toEqual(LONG_CHAIN[0]![1]);
});

test('all types of records are read', async () => {
  dns.answers.set('all.example.com', {
    a: ['192.0.2.1', '192.0.2.2'],
    aaaa: ['2001:db8::1'],
    txt: ['short', ['in two ', 'parts']],
    caa: [[128, 'issue', 'ca.example; policy=x']],
  });
  const lookUp = createLookUp([dns.address]);
  const valuesOf = async (type: 'A' | 'AAAA' | 'TXT') =>
    recordsOf('all.example.com', type, await lookUp('all.example.com', type, performance.now() + 60_000)).map(
      ({ value }) => value,
    );
  expect(await valuesOf('A')).toEqual(['192.0.2.1', '192.0.2.2']);
  expect(await valuesOf('AAAA')).toEqual(['2001:db8::1']);
  expect(await valuesOf('TXT')).toEqual(['short', 'in two parts']);
  expect(recordsIn(await lookUp('all.example.com', 'CAA', performance.now() + 60_000))).toEqual([
    {
      owner: 'all.example.com',
      type: 'CAA',
      value: 'ca.example; policy=x',
      caa: { flags: 128, tag: 'issue' },
    },
  ]);
});

test('records at the end of a chain count, and those of other names do not', () => {
  const cname = (owner: string, value: string) => ({ owner, type: 'CNAME' as const, value });
  const a = (owner: string, value: string) => ({ owner, type: 'A' as const, value });
  const records = [
    cname('a.example', 'b.example'),
    cname('b.example', 'c.example'),
    a('c.example', '192.0.2.1'),
  ];
  const others = [a('a.example', '192.0.2.2'), a('d.example', '192.0.2.3')];
  const answer: Found = { kind: 'answered', exists: true, records: [...others, ...records] };
  expect(recordsOf('a.example', 'A', answer)).toEqual([records[2]]);
});

test('a loop of CNAME records ends', () => {
  const records = [
    { owner: 'a.example', type: 'CNAME' as const, value: 'b.example' },
    { owner: 'b.example', type: 'CNAME' as const, value: 'a.example' },
  ];
  expect(chainOf('a.example', records)).toEqual(['a.example', 'b.example']);
});

test('an answer with very many records is no answer', async () => {
  const a = Array.from({ length: 300 }, (_, n) => `192.0.2.${n % 256}`);
  dns.answers.set('many.example.com', { a });
  const answer = await createLookUp([dns.address])('many.example.com', 'A', performance.now() + 5000);
  expect(answer).toEqual({ kind: 'failed', reason: 'no answer' });
});
