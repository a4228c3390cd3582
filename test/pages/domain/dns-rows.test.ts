import { expect, test } from 'vitest';
import type { DnsAdvice, DnsRecord } from '../../../client/src/answers.ts';
import { dnsRows } from '../../../pages/views/domain/dns-rows.ts';
import { WHOLE } from '../../../src/edges/api/domain-examples.ts';

const HOSTNAME = 'sitemaps.example.com';
const TARGET = 'abc.cname.example.net';
const cname = (value: string): DnsRecord => ({ type: 'CNAME', name: HOSTNAME, value });
const a = (value: string): DnsRecord => ({ type: 'A', name: HOSTNAME, value });
const NONE = ['neutral –', 'neutral –'];

/** The states of the rows for type, name, value and proxy, and where the cure stands. */
function see(state: DnsAdvice['state'], found: readonly DnsRecord[]) {
  const record = {
    type: 'CNAME',
    name: 'sitemaps',
    value: TARGET,
    message: 'The cure.',
    copy: null,
  } as const;
  const provider = { name: 'Cloudflare', url: 'https://example.com' };
  const dns = { ...WHOLE.dns, zone: 'example.com', provider, records: [{ ...record, state, found }] };
  const rows = dnsRows({ dns: dns as unknown as Parameters<typeof dnsRows>[0]['dns'] });
  return {
    states: rows.map(({ tone, word }) => `${tone} ${word}`),
    found: rows.map(({ found }) => found),
    cure: rows.filter(({ message }) => message).map(({ field }) => field),
  };
}

const VALID = 'good Valid';

test.each<[DnsAdvice['state'], readonly DnsRecord[], readonly string[], readonly string[], string]>([
  [
    'valid',
    [cname(TARGET)],
    [VALID, VALID, VALID, VALID],
    ['CNAME', 'sitemaps', TARGET, 'DNS only'],
    'Value',
  ],
  ['not_found', [], [...NONE, 'waiting Not found yet', 'neutral –'], ['–', '–', 'Nothing', '–'], 'Value'],
  [
    'wrong_target',
    [cname('x.example.org')],
    [VALID, VALID, 'bad Wrong target', VALID],
    ['CNAME', 'sitemaps', 'x.example.org', 'DNS only'],
    'Value',
  ],
  [
    'domain_added',
    [cname(`${TARGET}.example.com`)],
    [VALID, VALID, 'bad Domain added twice', VALID],
    ['CNAME', 'sitemaps', `${TARGET}.example.com`, 'DNS only'],
    'Value',
  ],
  [
    'name_added',
    [],
    ['neutral –', 'bad Domain added twice', VALID, 'neutral –'],
    ['–', 'sitemaps.example.com', TARGET, '–'],
    'Name',
  ],
  [
    'proxied',
    [a('104.16.1.1')],
    ['neutral –', VALID, 'neutral –', 'bad Proxy is on'],
    ['A', 'sitemaps', '104.16.1.1', 'Proxied'],
    'Proxy',
  ],
  [
    'wrong_address',
    [a('198.51.100.7')],
    ['neutral –', VALID, 'bad Wrong address', 'neutral –'],
    ['A', 'sitemaps', '198.51.100.7', '–'],
    'Value',
  ],
  [
    'wildcard',
    [a('198.51.100.7')],
    [...NONE, 'waiting Not found yet', 'neutral –'],
    ['–', '–', '198.51.100.7', '–'],
    'Value',
  ],
  ['no_answer', [], [...NONE, "waiting Couldn't check", 'neutral –'], ['–', '–', 'Nothing', '–'], 'Value'],
])('%s', (state, records, states, found, cure) => {
  expect(see(state, records)).toEqual({ states, found, cure: [cure] });
});

test('a CAA record that forbids our authority has a row with what to add', () => {
  const rows = dnsRows({
    dns: {
      ...(WHOLE.dns as unknown as Parameters<typeof dnsRows>[0]['dns']),
      records: [
        { ...(WHOLE.dns.records[0] as unknown as DnsAdvice) },
        {
          type: 'CAA',
          name: '@',
          value: '0 issue "letsencrypt.org"',
          found: [{ type: 'CAA', name: 'example.com', value: '0 issue "digicert.com"' }],
          state: 'blocked',
          message: 'Add the CAA record 0 issue "letsencrypt.org"',
          copy: '0 issue "letsencrypt.org"',
        },
      ],
    },
  });
  expect(rows.at(-1)).toEqual({
    ...{ field: 'CAA', enter: 'None, or one that allows letsencrypt.org', found: '0 issue "digicert.com"' },
    ...{ tone: 'bad', word: 'Certificate blocked' },
    ...{ message: 'Add the CAA record 0 issue "letsencrypt.org"', copy: '0 issue "letsencrypt.org"' },
  });
});
