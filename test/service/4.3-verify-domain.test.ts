/** Spec 3 and spec 4.3, spec D24 to D27: verification against a real DNS server. */
import { afterAll, expect, test } from 'vitest';
import { type DnsAnswer, startDnsServer } from '../support/dns-server.ts';
import { fetchFile, fetchLocs } from './support/crawler.ts';
import { type Customer, createCustomer, type Domain, uniqueHostname } from './support/customer.ts';
import { entries } from './support/entries.ts';
import { isOnS3 } from './support/store.ts';
import { useOwnWaypost } from './support/use-waypost.ts';

const dns = await startDnsServer();
afterAll(() => dns[Symbol.asyncDispose]());
const waypost = await useOwnWaypost({ DNS_SERVERS: dns.address });
const customer = await createCustomer(waypost);

async function domainWith(answer: (domain: Domain) => DnsAnswer, by: Customer = customer): Promise<Domain> {
  const domain = await by.createDomain(uniqueHostname('example.com'));
  dns.answers.set(domain.hostname, answer(domain));
  return domain;
}

const verify = ({ id }: Domain, by: Customer = customer) => by.call(`POST /api/domains/${id}/verify`);

/** Turns every other letter into upper case. */
function oddCase(name: string): string {
  return Array.from(name, (letter, at) => (at % 2 ? letter.toUpperCase() : letter)).join('');
}

test.each<[string, (domain: Domain) => DnsAnswer]>([
  ['exactly', ({ cnameTarget }) => ({ cname: cnameTarget })],
  ['in odd case', ({ cnameTarget }) => ({ cname: oddCase(cnameTarget) })],
  ['with a trailing dot', ({ cnameTarget }) => ({ cname: `${cnameTarget}.` })],
])('4.3 a record that points to the target %s verifies the domain', async (_how, answer) => {
  const before = Math.floor(Date.now() / 1000) * 1000;
  const domain = await domainWith(answer);
  const { status, json } = await verify(domain);
  expect(status).toBe(200);
  expect(json).toEqual({
    success: true,
    data: {
      id: domain.id,
      hostname: domain.hostname,
      status: 'verified',
      sslStatus: 'provisioning',
      verifiedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      message: expect.stringMatching(/./),
    },
  });
  expect(Date.parse(json.data.verifiedAt)).toBeGreaterThanOrEqual(before);
  const read = await customer.call(`GET /api/domains/${domain.id}`);
  expect(read.json.data).toMatchObject({ status: 'verified', sslStatus: 'provisioning' });
});

test.each<[string, (domain: Domain) => DnsAnswer, RegExp]>([
  ['no such name', () => 'no such name', /no matching/i],
  ['an address and no alias, as behind a proxy', () => ({ a: ['192.0.2.1'] }), /no matching/i],
  ['another target', () => ({ cname: 'www.example.net' }), /wrong target.*www\.example\.net/i],
  ['a name below the target', ({ cnameTarget }) => ({ cname: `x.${cnameTarget}` }), /wrong target/i],
  [
    'the base of the targets',
    ({ cnameTarget }) => ({ cname: cnameTarget.replace(/^\w+\./, '') }),
    /wrong target/i,
  ],
  ['a target cut short', ({ cnameTarget }) => ({ cname: cnameTarget.slice(1) }), /wrong target/i],
  [
    'the target under another owner name',
    ({ cnameTarget }) => ({ records: [['other.example.com', cnameTarget]] }),
    /no matching/i,
  ],
  [
    'a chain to the target',
    ({ hostname, cnameTarget }) => ({
      records: [
        [hostname, 'hop.example.net'],
        ['hop.example.net', cnameTarget],
      ],
    }),
    /wrong target.*hop\.example\.net/i,
  ],
  ['a server failure', () => 'server failure', /lookup.*failed/i],
])('4.3 the domain stays unverified when DNS has %s', async (_what, answer, wanted) => {
  const domain = await domainWith(answer);
  const { status, json } = await verify(domain);
  expect(status).toBe(200);
  expect(json).toEqual({
    success: true,
    data: {
      id: domain.id,
      hostname: domain.hostname,
      status: 'pending_verification',
      sslStatus: 'pending',
      message: expect.stringMatching(wanted),
    },
  });
  // The message tells the user what to do.
  if (answer(domain) !== 'server failure') expect(json.data.message).toContain(domain.cnameTarget);

  dns.answers.set(domain.hostname, { cname: domain.cnameTarget });
  expect((await verify(domain)).json.data.status).toBe('verified');
});

test('spec D26 verification gives up on a silent DNS server in time', async () => {
  const domain = await domainWith(() => 'silence');
  const [{ status, json }, others] = await Promise.all([verify(domain), customer.call('GET /api/domains')]);
  expect(others.status).toBe(200);
  expect(status).toBe(200);
  expect(json.data).toMatchObject({ status: 'pending_verification', sslStatus: 'pending' });
  expect(json.data.message).toMatch(/lookup.*failed or took too long/i);
});

test("spec D25 a former owner's record verifies nobody else's domain", async () => {
  const other = await createCustomer(waypost);
  const mine = await domainWith(({ cnameTarget }) => ({ cname: cnameTarget }));
  expect((await verify(mine)).json.data.status).toBe('verified');
  await customer.call(`DELETE /api/domains/${mine.id}`);
  const theirs = await other.createDomain(mine.hostname);
  expect((await verify(theirs, other)).json.data.status).toBe('pending_verification');
});

test('spec D26 a verified domain answers its state without another lookup', async () => {
  const domain = await domainWith(({ cnameTarget }) => ({ cname: cnameTarget }));
  const first = (await verify(domain)).json.data;
  dns.answers.delete(domain.hostname);
  dns.asked.length = 0;
  const second = (await verify(domain)).json.data;
  expect(second).toMatchObject({
    status: 'verified',
    sslStatus: 'provisioning',
    verifiedAt: first.verifiedAt,
  });
  expect(dns.asked).not.toContain(domain.hostname);
});

test('4.3 many requests at once verify once', async () => {
  const domain = await domainWith(({ cnameTarget }) => ({ cname: cnameTarget }));
  const answers = await Promise.all(Array.from({ length: 10 }, () => verify(domain)));
  const states = answers.map(({ status, json }) => `${status} ${json.data.status} ${json.data.sslStatus}`);
  expect(new Set(states)).toEqual(new Set(['200 verified provisioning']));
  const { json } = await verify(domain);
  expect(json.data.verifiedAt).toMatch(/Z$/);
});

test.skipIf(isOnS3)('spec D24 a .localhost name verifies at once, without DNS', async () => {
  const domain = await customer.createDomain(uniqueHostname('maps.localhost'));
  expect((await verify(domain)).json.data.status).toBe('verified');
  expect(dns.asked).not.toContain(domain.hostname);
});

test('spec D27 an upload before the verification is served after it', async () => {
  const domain = await domainWith(() => 'no such name');
  const { hostname } = domain;
  const data = await customer.publish({ domain: hostname, urls: entries(3) });
  expect(data).toMatchObject({ urlCount: 3, filesGenerated: 1 });
  await verify(domain);
  for (const path of ['/sitemap.xml', '/sitemap-index.xml', '/robots.txt']) {
    expect((await fetchFile(waypost, hostname, path)).status).toBe(404);
  }
  dns.answers.set(hostname, { cname: domain.cnameTarget });
  await verify(domain);
  await expect.poll(async () => (await fetchFile(waypost, hostname, '/sitemap.xml')).status).toBe(200);
  expect(await fetchLocs(waypost, hostname, '/sitemap.xml')).toHaveLength(3);
});
