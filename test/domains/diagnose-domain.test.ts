/** Diagnoses against a real DNS server. */
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createDiagnose } from '../../src/features/domains/diagnose-domain.ts';
import type { Verdict } from '../../src/features/domains/diagnosis.ts';
import { createLookUp } from '../../src/platform/dns/look-up.ts';
import { type DnsAnswer, startDnsServer } from '../support/dns-server.ts';

const dns = await startDnsServer();
afterAll(() => dns[Symbol.asyncDispose]());
const diagnose = createDiagnose(createLookUp([dns.address]));

const HOSTNAME = 'maps.customer.example';
const LABEL = 'k3vabcdefghijklmnopqrstuvwxyz234';
const TARGET = `${LABEL}.cname.example.net`;
const OURS = { a: ['192.0.2.10'], aaaa: ['2001:db8::10'] };
const FOREIGN = '198.51.100.7';
const CLOUDFLARE = '104.16.1.1';
/** No text says to change a record that leads to somebody else. */
const LEAVE_IT = (address: string) =>
  new RegExp(
    `^No matching CNAME record was found\\. This looks like your website: \\S+ is live at ${address.replaceAll('.', '\\.')}\\. Don't change its DNS\\. Use a name of its own for sitemaps, such as sitemaps\\.customer\\.example\\.$`,
  );
const PROOF = { [`_waypost.${HOSTNAME}`]: { txt: [LABEL] } };

beforeEach(() => {
  dns.answers.clear();
  dns.answers.set(TARGET, OURS);
  // A subdomain that was never used exists: it has no records.
  for (const name of ['customer.example', 'example']) dns.answers.set(name, {});
});

const set = (zone: Readonly<Record<string, DnsAnswer>>) => {
  for (const [name, answer] of Object.entries(zone)) dns.answers.set(name, answer);
};

test.each<[string, Record<string, DnsAnswer>, Verdict, RegExp | null]>([
  ['the CNAME record', { [HOSTNAME]: { cname: TARGET } }, 'right', null],
  [
    'the CNAME record, with every other lookup failing',
    {
      [HOSTNAME]: { cname: TARGET, failing: ['A', 'AAAA', 'CAA'] },
      [`_waypost.${HOSTNAME}`]: 'server failure',
    },
    'right',
    null,
  ],
  [
    'another target',
    { [HOSTNAME]: { cname: 'other.example.net' } },
    'wrong',
    /^The CNAME record points to the wrong target, other\.example\.net\. Create .* instead\.$/,
  ],
  [
    'no name',
    { [HOSTNAME]: 'no such name' },
    'wrong',
    /^No matching CNAME record was found\. Create a CNAME record from maps\.customer\.example to k3v.*DNS only/,
  ],
  ['a name without records', { [HOSTNAME]: {} }, 'wrong', /^No matching CNAME record was found\. Create/],
  ['a proxy of Cloudflare', { [HOSTNAME]: { a: [CLOUDFLARE] } }, 'wrong', LEAVE_IT(CLOUDFLARE)],
  [
    'a proxy of Cloudflare over IPv6',
    { [HOSTNAME]: { aaaa: ['2606:4700::1'] } },
    'wrong',
    LEAVE_IT('2606:4700::1'),
  ],
  [
    'our addresses, flattened, without the proof',
    { [HOSTNAME]: OURS },
    'wrong',
    /leads here, but its provider shows only addresses\. Add a TXT record at _waypost\.maps\.customer\.example with the text k3v/,
  ],
  ['foreign addresses', { [HOSTNAME]: { a: [FOREIGN] } }, 'wrong', LEAVE_IT(FOREIGN)],
  ['the proof and our addresses', { [HOSTNAME]: OURS, ...PROOF }, 'right', null],
  ['the proof and one of our addresses', { [HOSTNAME]: { a: OURS.a }, ...PROOF }, 'right', null],
  [
    'the proof in capitals and several texts',
    { [HOSTNAME]: OURS, [`_waypost.${HOSTNAME}`]: { txt: ['v=spf1 -all', ` ${LABEL.toUpperCase()} `] } },
    'right',
    null,
  ],
  [
    'the proof in two strings',
    { [HOSTNAME]: OURS, [`_waypost.${HOSTNAME}`]: { txt: [[LABEL.slice(0, 5), LABEL.slice(5)]] } },
    'right',
    null,
  ],
  [
    "another account's proof",
    { [HOSTNAME]: OURS, [`_waypost.${HOSTNAME}`]: { txt: ['z'.repeat(32)] } },
    'wrong',
    /Add a TXT record/,
  ],
  [
    'the proof at the hostname itself',
    { [HOSTNAME]: { ...OURS, txt: [LABEL] } },
    'wrong',
    /Add a TXT record/,
  ],
  [
    'the proof and no address',
    { [HOSTNAME]: {}, ...PROOF },
    'wrong',
    /TXT record is right, but .* has no address\. It must have no address but 192\.0\.2\.10/,
  ],
  [
    'the proof and a stale AAAA beside',
    { [HOSTNAME]: { a: OURS.a, aaaa: ['2001:db8:ffff::1'] }, ...PROOF },
    'wrong',
    LEAVE_IT('2001:db8:ffff::1'),
  ],
  [
    'the proof and a stale A beside',
    { [HOSTNAME]: { a: [...OURS.a, FOREIGN] }, ...PROOF },
    'wrong',
    LEAVE_IT(FOREIGN),
  ],
  ['the proof behind a proxy', { [HOSTNAME]: { a: [CLOUDFLARE] }, ...PROOF }, 'wrong', LEAVE_IT(CLOUDFLARE)],
  [
    'the proof and a chain that leads here',
    { [HOSTNAME]: { cname: 'cdn.customer.example' }, 'cdn.customer.example': OURS, ...PROOF },
    'right',
    null,
  ],
  [
    'the proof, and the target of another account',
    { [HOSTNAME]: { cname: 'other.cname.example.net' }, 'other.cname.example.net': OURS, ...PROOF },
    'wrong',
    /wrong target, other\.cname\.example\.net/,
  ],
  [
    'a failing resolver',
    { [HOSTNAME]: 'server failure' },
    'unknown',
    /^The DNS lookup of maps\.customer\.example failed or took too long \(SERVFAIL\)/,
  ],
  [
    'no CNAME, and a failing lookup of the proof',
    { [HOSTNAME]: {}, [`_waypost.${HOSTNAME}`]: 'server failure' },
    'wrong',
    /No matching/,
  ],
  [
    'our addresses, and a failing lookup of the proof',
    { [HOSTNAME]: OURS, [`_waypost.${HOSTNAME}`]: 'server failure' },
    'unknown',
    /SERVFAIL/,
  ],
  [
    'the proof, and a failing lookup of its AAAA',
    { [HOSTNAME]: { ...OURS, failing: ['AAAA'] }, ...PROOF },
    'unknown',
    /SERVFAIL/,
  ],
  [
    'the proof, a foreign A and a failing AAAA',
    { [HOSTNAME]: { a: [FOREIGN], failing: ['AAAA'] }, ...PROOF },
    'wrong',
    LEAVE_IT(FOREIGN),
  ],
  [
    'the proof, and a failing lookup of our own addresses',
    { [HOSTNAME]: OURS, [TARGET]: 'server failure', ...PROOF },
    'unknown',
    /SERVFAIL/,
  ],
  [
    'the proof, and no address of our own',
    { [HOSTNAME]: OURS, [TARGET]: {}, ...PROOF },
    'unknown',
    /k3v.* has no address\. Ask your operator/,
  ],
  ['silence', { [HOSTNAME]: 'silence' }, 'unknown', /failed or took too long \(no answer\)/],
  [
    'a wildcard with another target',
    { '*.customer.example': { cname: 'other.example.net' } },
    'wrong',
    /wrong target, other\.example\.net.*wildcard record \*\.customer\.example/,
  ],
  [
    'a wildcard with an address',
    { '*.customer.example': { a: [FOREIGN] } },
    'wrong',
    /198\.51\.100\.7.*wildcard record \*\.customer\.example/,
  ],
  [
    'a record of its own beside a wildcard',
    { [HOSTNAME]: { a: [FOREIGN] }, '*.customer.example': { a: [CLOUDFLARE] } },
    'wrong',
    /^(?!.*wildcard)/,
  ],
])('%s', async (_what, zone, verdict, problem) => {
  set(zone);
  const diagnosis = await diagnose(HOSTNAME, TARGET);
  expect(diagnosis).toMatchObject({
    verdict,
    problem: problem === null ? null : expect.stringMatching(problem),
  });
});

test('what was found is listed record by record, each once', async () => {
  set({ [HOSTNAME]: { cname: TARGET }, ...PROOF, 'customer.example': { caa: [[0, 'issue', 'ca.example']] } });
  const { found, addresses } = await diagnose(HOSTNAME, TARGET);
  expect(found).toEqual([
    { type: 'CNAME', name: HOSTNAME, value: TARGET },
    { type: 'A', name: TARGET, value: '192.0.2.10' },
    { type: 'AAAA', name: TARGET, value: '2001:db8::10' },
    { type: 'TXT', name: `_waypost.${HOSTNAME}`, value: LABEL },
    { type: 'CAA', name: 'customer.example', value: '0 issue "ca.example"' },
  ]);
  expect(addresses).toEqual({ found: ['192.0.2.10', '2001:db8::10'], areOurs: true });
});

test('addresses are judged also when the CNAME is right', async () => {
  set({ [HOSTNAME]: { cname: TARGET, failing: ['AAAA'] } });
  expect((await diagnose(HOSTNAME, TARGET)).addresses.areOurs).toBeUndefined();
});

test('hostile text is bounded, and has no controls', async () => {
  const txt = Array.from({ length: 100 }, (_, n) => [
    `${n}\x1b[2J\u202e\0\ud83d`,
    'x'.repeat(255),
    'y'.repeat(255),
  ]);
  set({ [HOSTNAME]: { cname: 'evil\x1b[2J.example.net' }, [`_waypost.${HOSTNAME}`]: { txt } });
  const { found, problem } = await diagnose(HOSTNAME, TARGET);
  const text = JSON.stringify([found, problem]);
  expect(found.length).toBeLessThanOrEqual(32);
  expect(text.length).toBeLessThan(32 * 600);
  expect(text).not.toMatch(/\\u|\p{Cc}|\p{Bidi_Control}/u);
});

test('a name below a top-level domain is no reason to ask for a wildcard there', async () => {
  set({ 'customer.example': { a: [FOREIGN] } });
  dns.asked.length = 0;
  await diagnose('customer.example', TARGET);
  expect(dns.asked.filter((name) => /^[0-9a-f]{16}\./.test(name))).toEqual([]);
});
