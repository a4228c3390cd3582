/** RFC 8659 against a real DNS server. */
import { afterAll, beforeEach, expect, test } from 'vitest';
import { findCaa, findCaaProblem } from '../../src/features/domains/caa.ts';
import { createLookUp } from '../../src/platform/dns/look-up.ts';
import { type DnsAnswer, type DnsRecords, startDnsServer } from '../support/dns-server.ts';

const dns = await startDnsServer();
afterAll(() => dns[Symbol.asyncDispose]());
const lookUp = createLookUp([dns.address]);

const HOSTNAME = 'a.b.maps.customer.example';
const IDENTITIES = ['letsencrypt.org', 'second.example'];

beforeEach(() => {
  dns.answers.clear();
  dns.answers.set('example', {});
});

async function problemWith(zone: Readonly<Record<string, DnsAnswer>>, hostname = HOSTNAME) {
  for (const [name, answer] of Object.entries(zone)) dns.answers.set(name, answer);
  return findCaaProblem(await findCaa(lookUp, hostname, performance.now() + 60_000), IDENTITIES);
}

const caa = (...records: NonNullable<DnsRecords['caa']>): DnsRecords => ({ caa: records });

test.each<[string, Record<string, DnsAnswer>]>([
  ['no record anywhere', {}],
  ['a record for us', { 'customer.example': caa([0, 'issue', 'letsencrypt.org']) }],
  ['a record for another name of ours', { 'customer.example': caa([0, 'issue', 'second.example']) }],
  [
    'one record of several',
    {
      'customer.example': caa([0, 'issue', 'digicert.com'], [0, 'issue', ' LetsEncrypt.org ; accounturi=x']),
    },
  ],
  [
    'a nearer record before a farther',
    {
      'maps.customer.example': caa([0, 'issue', 'letsencrypt.org']),
      'customer.example': caa([0, 'issue', ';']),
    },
  ],
  [
    'no issue property, as with wildcards alone',
    { 'customer.example': caa([0, 'issuewild', ';'], [0, 'iodef', 'mailto:x@example.com']) },
  ],
  ['a critical property that is known', { 'customer.example': caa([128, 'ISSUE', 'letsencrypt.org']) }],
  ['an unknown property that is not critical', { 'customer.example': caa([0, 'tbs', 'x']) }],
  [
    'our record at the target of the CNAME',
    {
      [HOSTNAME]: { cname: 'target.example' },
      'target.example': caa([0, 'issue', 'letsencrypt.org']),
      'customer.example': caa([0, 'issue', ';']),
    },
  ],
  [
    'our validation method',
    { 'customer.example': caa([0, 'issue', 'letsencrypt.org; validationmethods=dns-01,http-01']) },
  ],
  [
    'a failing name above the one that counts',
    { 'customer.example': caa([0, 'issue', 'letsencrypt.org']), example: 'server failure' },
  ],
])('%s allows us', async (_what, zone) => {
  expect(await problemWith(zone)).toBeUndefined();
});

test.each<[string, Record<string, DnsAnswer>, RegExp]>([
  [
    'another authority',
    { 'customer.example': caa([0, 'issue', 'digicert.com']) },
    /^CAA at customer\.example allows only digicert\.com; add `0 issue "letsencrypt\.org"`\.$/,
  ],
  ['no authority', { 'customer.example': caa([0, 'issue', ';']) }, /allows only no authority/],
  [
    'a name that contains ours',
    { 'customer.example': caa([0, 'issue', 'xletsencrypt.org']) },
    /allows only xletsencrypt\.org/,
  ],
  [
    'a critical unknown property',
    { 'customer.example': caa([128, 'tbs', 'x'], [0, 'issue', 'letsencrypt.org']) },
    /critical property tbs.*Remove/,
  ],
  [
    'another validation method',
    { 'customer.example': caa([0, 'issue', 'letsencrypt.org; validationmethods=dns-01']) },
    /other validation methods than http-01/,
  ],
  [
    'a restriction at the target of the CNAME',
    { [HOSTNAME]: { cname: 'target.example' }, 'target.example': caa([0, 'issue', 'digicert.com']) },
    /^CAA at a\.b\.maps\.customer\.example allows only digicert\.com/,
  ],
  [
    'a server failure',
    { 'maps.customer.example': 'server failure', 'customer.example': caa([0, 'issue', 'letsencrypt.org']) },
    /CAA lookup of maps\.customer\.example failed \(SERVFAIL\)/,
  ],
  [
    'hostile text',
    { 'customer.example': caa([0, 'issue', 'evil\x1b[2J\nname']) },
    /allows only evil\?\[2J\?name;/,
  ],
])('%s keeps us from issuing', async (_what, zone, wanted) => {
  expect(await problemWith(zone)).toMatch(wanted);
});

test('the parents of a CNAME target do not count', async () => {
  const zone = {
    [HOSTNAME]: { cname: 'x.target.example' },
    'x.target.example': {},
    'target.example': caa([0, 'issue', ';']),
  };
  expect(await problemWith(zone)).toBeUndefined();
});

test('a name of 127 labels is climbed to its end', async () => {
  const hostname = `${'a.'.repeat(118)}customer.example`;
  expect(await problemWith({ 'customer.example': caa([0, 'issue', 'digicert.com']) }, hostname)).toMatch(
    /^CAA at customer\.example allows only digicert\.com/,
  );
});
