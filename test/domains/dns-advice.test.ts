/** Each thing that can be wrong with the records has a state and a line of its own. Diagnoses are against a real DNS server. */
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createDiagnose } from '../../src/features/domains/diagnose-domain.ts';
import { adviseOnDns } from '../../src/features/domains/dns-advice.ts';
import { createLookUp } from '../../src/platform/dns/look-up.ts';
import { type DnsAnswer, startDnsServer } from '../support/dns-server.ts';

const dns = await startDnsServer();
afterAll(() => dns[Symbol.asyncDispose]());
const diagnose = createDiagnose(createLookUp([dns.address]), ['letsencrypt.org']);

const HOSTNAME = 'sitemaps.acme-shop.com';
const ZONE = 'acme-shop.com';
const LABEL = 'k3vabcdefghijklmnopqrstuvwxyz234';
const TARGET = `${LABEL}.cname.example.net`;
const OURS = { a: ['192.0.2.10'], aaaa: ['2001:db8::10'] };
const FOREIGN = '198.51.100.7';
const CLOUDFLARE = '104.16.1.1';
const AT_CLOUDFLARE = { ns: ['ada.ns.cloudflare.com', 'Bob.NS.Cloudflare.com.'] };

beforeEach(() => {
  dns.answers.clear();
  dns.answers.set(TARGET, OURS);
  for (const name of ['com', 'net']) dns.answers.set(name, {});
  dns.answers.set(ZONE, AT_CLOUDFLARE);
});

async function advise(
  zone: Readonly<Record<string, DnsAnswer>>,
  {
    website = false,
    hostname = HOSTNAME,
    status = 'pending_verification' as const,
  }: { website?: boolean | null; hostname?: string; status?: 'pending_verification' | 'verified' } = {},
) {
  for (const [name, answer] of Object.entries(zone)) dns.answers.set(name, answer);
  const diagnosis = await diagnose(hostname, TARGET, website);
  // As the database keeps it.
  const judgement = JSON.parse(JSON.stringify(diagnosis.judgement));
  const check = { ...diagnosis, judgement, checkedAt: new Date(), nextCheckAt: null };
  return adviseOnDns({ hostname, cnameTarget: TARGET, status }, check);
}

test.each<[string, Record<string, DnsAnswer>, string, string | null]>([
  ['nothing', {}, 'not_found', 'New records can take a few minutes.'],
  [
    'another target',
    { [HOSTNAME]: { cname: 'shops.example.org' } },
    'wrong_target',
    'The record points to shops.example.org. Change its value.',
  ],
  [
    'the zone added to the value',
    { [HOSTNAME]: { cname: `${TARGET}.${ZONE}` } },
    'domain_added',
    'Your provider added your domain. End the value with a dot.',
  ],
  [
    'the hostname added to the value',
    { [HOSTNAME]: { cname: `${TARGET}.${HOSTNAME}` } },
    'domain_added',
    'Your provider added your domain. End the value with a dot.',
  ],
  [
    'the zone added to the name',
    { [`${HOSTNAME}.${ZONE}`]: { cname: TARGET } },
    'name_added',
    'Your provider added your domain to the name. Enter only sitemaps.',
  ],
  [
    'the target of another account',
    { [HOSTNAME]: { cname: 'other.cname.example.net' } },
    'other_account',
    'This is the value of another Waypost account. Change it to yours.',
  ],
  [
    'a proxy in front',
    { [HOSTNAME]: { a: [CLOUDFLARE] } },
    'proxied',
    "Switch this record's orange cloud to grey.",
  ],
  [
    'a proxy in front, at another provider',
    { [HOSTNAME]: { a: [CLOUDFLARE] }, [ZONE]: { ns: ['ns1.example.org'] } },
    'proxied',
    'Cloudflare stands in front of this name. Switch its proxy off.',
  ],
  [
    'addresses of nobody we know',
    { [HOSTNAME]: { a: [FOREIGN] } },
    'wrong_address',
    `The name leads to ${FOREIGN}. Remove that record, then add this one.`,
  ],
  [
    'a wildcard',
    { [`*.${ZONE}`]: { a: [FOREIGN] } },
    'wildcard',
    `*.${ZONE} answers for this name. A record of its own goes first: add it.`,
  ],
  [
    'our addresses without the proof',
    { [HOSTNAME]: OURS },
    'text_missing',
    'The name leads to Waypost. Add the TXT record to show that it is yours.',
  ],
  [
    'a failing server',
    { [HOSTNAME]: 'server failure' },
    'no_answer',
    "Your name servers don't answer. We keep trying.",
  ],
])('%s', async (_what, zone, state, message) => {
  const advice = await advise(zone);
  expect(advice).toMatchObject({ state, message });
  expect(advice.records[0]).toMatchObject({ type: 'CNAME', name: 'sitemaps', value: TARGET, state, message });
});

test('the right record is valid; before its verification another account has the hostname', async () => {
  const zone = { [HOSTNAME]: { cname: TARGET } };
  expect(await advise(zone, { status: 'verified' })).toMatchObject({ state: 'valid', message: null });
  const { state, message, records } = await advise(zone);
  expect(state).toBe('in_use');
  expect(message).toMatch(/^Another Waypost account uses sitemaps\.acme-shop\.com\./);
  expect(records[0]!.found).toEqual([{ type: 'CNAME', name: HOSTNAME, value: TARGET }]);
});

test('what the cure needs is there to copy', async () => {
  const { records } = await advise({ [HOSTNAME]: { cname: `${TARGET}.${ZONE}` } });
  expect(records[0]).toMatchObject({ copy: `${TARGET}.`, found: [{ value: `${TARGET}.${ZONE}` }] });
});

test.each<[string, DnsAnswer, string | null, string]>([
  ['no record', AT_CLOUDFLARE, null, 'valid'],
  ['ours', { caa: [[0, 'issue', 'letsencrypt.org']] }, null, 'valid'],
  [
    'another authority',
    { caa: [[0, 'issue', 'digicert.com']] },
    'Add the CAA record 0 issue "letsencrypt.org"',
    'blocked',
  ],
  ['a failing lookup', { failing: ['CAA'] }, 'The CAA lookup failed. We keep trying.', 'no_answer'],
])('CAA: %s', async (_what, zone, message, state) => {
  const { records } = await advise({ [ZONE]: zone, [HOSTNAME]: { cname: TARGET, failing: [] } });
  const copy = state === 'blocked' ? '0 issue "letsencrypt.org"' : null;
  expect(records[1]).toMatchObject({ type: 'CAA', name: '@', state, message, copy });
});

test.each<[string, string, Record<string, DnsAnswer>]>([
  ['addresses', HOSTNAME, { [HOSTNAME]: { a: [FOREIGN] } }],
  ['addresses of Cloudflare', HOSTNAME, { [HOSTNAME]: { a: [CLOUDFLARE] } }],
  [
    'another target with addresses',
    HOSTNAME,
    { [HOSTNAME]: { cname: 'x.example.org' }, 'x.example.org': { a: [FOREIGN] } },
  ],
  [
    'the proof, and addresses',
    HOSTNAME,
    { [HOSTNAME]: { a: [FOREIGN] }, [`_waypost.${HOSTNAME}`]: { txt: [LABEL] } },
  ],
  ['www below a wildcard', `www.${ZONE}`, { [`*.${ZONE}`]: { a: [FOREIGN] } }],
  ['an apex', ZONE, { [ZONE]: { ...AT_CLOUDFLARE, a: [FOREIGN] } }],
])(
  'unless its owner says that it has no website, no text says to change a name with %s',
  async (_what, hostname, zone) => {
    for (const website of [null, true]) {
      const { state, message, suggestion } = await advise(zone, { website, hostname });
      expect(state).toBe('website');
      expect(message).toMatch(/^This looks like your website: .* Don't change its DNS\./);
      expect(suggestion).toBe(hostname === HOSTNAME ? `maps.${ZONE}` : `sitemaps.${ZONE}`);
      const { problem } = await diagnose(hostname, TARGET, website);
      expect(problem).toContain("Don't change its DNS.");
      expect(problem).not.toMatch(/create|switch|remove|correct|instead/i);
    }
  },
);

test('a name that nothing used when it was registered is no website, even if a lookup is missing', async () => {
  const { state } = await advise(
    { [HOSTNAME]: { cname: 'x.example.org', failing: ['A'] } },
    { website: null },
  );
  expect(state).toBe('no_answer');
});

test('names are relative to the nearest zone, and its provider is recognised', async () => {
  const hostname = 'maps.eu.acme-shop.com';
  const deeper = { 'eu.acme-shop.com': { ns: ['ns-1.awsdns-01.com', 'ns-2.awsdns-02.co.uk'] } };
  const advice = await advise(deeper, { hostname });
  expect(advice).toMatchObject({ zone: 'eu.acme-shop.com', provider: { name: 'Amazon Route 53' } });
  expect(advice.records[0]!.name).toBe('maps');
  const { alternativeRecords, ...apex } = await advise({}, { hostname: ZONE });
  expect(apex).toMatchObject({ zone: ZONE, provider: { name: 'Cloudflare' }, records: [{ name: '@' }, {}] });
  expect(alternativeRecords.map(({ type, name, value }) => [type, name, value])).toEqual([
    ['A', '@', '192.0.2.10'],
    ['AAAA', '@', '2001:db8::10'],
    ['TXT', '_waypost', LABEL],
  ]);
});

test('the alternative records have states of their own', async () => {
  const { alternativeRecords } = await advise({
    [HOSTNAME]: { a: OURS.a, aaaa: ['2001:db8:ffff::1'] },
    [`_waypost.${HOSTNAME}`]: { txt: [` ${LABEL.toUpperCase()} `] },
  });
  expect(alternativeRecords.map(({ state }) => state)).toEqual(['valid', 'wrong_address', 'valid']);
});

test('before the first check the zone is that of the registered name', () => {
  const check = { found: [], problem: null, judgement: null, checkedAt: null, nextCheckAt: null };
  const domain = {
    hostname: 'a.b.acme-shop.co.uk',
    cnameTarget: TARGET,
    status: 'pending_verification',
  } as const;
  expect(adviseOnDns(domain, check)).toMatchObject({
    ...{ zone: 'acme-shop.co.uk', provider: null, state: 'unchecked', message: null },
    records: [{ type: 'CNAME', name: 'a.b' }],
  });
  expect(adviseOnDns({ ...domain, hostname: 'a.localhost' }, check).records).toEqual([]);
});
