/** The certificate that a handshake gets, and the hosts that a request over TLS may name. */
import { afterAll, expect, test, vi } from 'vitest';
import { certificateKey } from '../../../src/features/sites/certificate.ts';
import { siteKey } from '../../../src/features/sites/site.ts';
import { contentDigest } from '../../../src/platform/content-digest.ts';
import { KeyRing, newKeyRingText } from '../../../src/platform/key-ring.ts';
import { createTestAuthority } from '../../../tools/test-certificates.ts';
import { SOON } from '../../support/soon.ts';
import { publishHosts, publishSite } from '../hosted-site.ts';
import {
  askSecurely,
  manyNames,
  publishSecureSite,
  putCertificate,
  sealed,
  shakeHands,
  siteOf,
  startSecureHosting,
} from './secure-hosting.ts';

const A = 'a.example.com';
const B = 'b.example.com';
const authority = await createTestAuthority();
afterAll(() => authority[Symbol.dispose]());
const { ca } = authority;
const ofA = await authority.issue(A);
const ofB = await authority.issue(B);
/** Alert 40: no certificate. */
const NO_CERTIFICATE = /alert handshake failure/;
const NO_SITE = /unrecognized name/;

test.each(['TLSv1.2', 'TLSv1.3'] as const)(
  '%s: a host gets its own certificate and site',
  async (version) => {
    await using hosting = await startSecureHosting();
    await publishSecureSite(hosting, A, ofA);
    await publishSecureSite(hosting, B, ofB);
    const only = { ca, minVersion: version, maxVersion: version };
    for (const servername of [A, B, A.toUpperCase()]) {
      const answer = await askSecurely(hosting, { ...only, servername });
      expect([answer.status, siteOf(answer)]).toEqual([200, servername.toLowerCase()]);
    }
    expect(hosting.counts.handshakes).toMatchObject({ full: 3, resumed: 0, unknownName: 0, broken: 0 });
    expect(hosting.counts.certificates).toMatchObject({ hits: 1, misses: 2, opened: 2, failures: 0 });
  },
);

test('a client without a name, or with an unknown one, gets an alert and never a certificate of another', async () => {
  await using hosting = await startSecureHosting();
  await publishSecureSite(hosting, A, ofA);
  const insecure = { rejectUnauthorized: false };
  await expect(shakeHands(hosting, { ...insecure, servername: B })).rejects.toThrow(NO_SITE);
  for (const servername of ['', 'localhost', 'x..example.com', `${'a'.repeat(200)}.example.com`]) {
    await expect(shakeHands(hosting, { ...insecure, servername })).rejects.toThrow(NO_CERTIFICATE);
  }
  expect(hosting.counts.handshakes).toMatchObject({ full: 0, unknownName: 5, broken: 0 });
  expect(hosting.faults.asked).not.toContain(certificateKey(B));
  expect(hosting.logged).toEqual([]);
});

test('what is not TLS, or too old, is counted as broken', async () => {
  await using hosting = await startSecureHosting();
  await publishSecureSite(hosting, A, ofA);
  const old = {
    servername: A,
    ca,
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    ciphers: 'ALL@SECLEVEL=0',
  } as const;
  await expect(shakeHands(hosting, old)).rejects.toThrow(/protocol version/);
  const weak = { servername: A, ca, maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA256' } as const;
  await expect(shakeHands(hosting, weak)).rejects.toThrow(/handshake failure/);
  await vi.waitFor(() => expect(hosting.counts.handshakes.broken).toBe(2), SOON);
  expect(hosting.counts.handshakes).toMatchObject({ full: 0, unknownName: 0 });
});

test('HTTP/1.1 is the only protocol that is negotiated', async () => {
  await using hosting = await startSecureHosting();
  await publishSecureSite(hosting, A, ofA);
  const socket = await shakeHands(hosting, { servername: A, ca, ALPNProtocols: ['h2', 'http/1.1'] });
  expect(socket.alpnProtocol).toBe('http/1.1');
  socket.destroy();
});

test('a Host that differs from the name of the handshake gets 421', async () => {
  await using hosting = await startSecureHosting();
  await publishSecureSite(hosting, A, ofA);
  await publishSecureSite(hosting, B, ofB);
  for (const host of [B, 'unknown.example.com']) {
    expect((await askSecurely(hosting, { ca, servername: A, host })).status).toBe(421);
  }
  expect((await askSecurely(hosting, { ca, servername: A, host: `${A}:8443` })).status).toBe(200);
  expect((await askSecurely(hosting, { ca, servername: A, host: B, path: '/healthz' })).status).toBe(200);
});

test('a deleted site ends its HTTPS at the next look at it', async () => {
  await using hosting = await startSecureHosting({ siteFreshMs: 1_000 });
  await publishSecureSite(hosting, A, ofA);
  expect((await askSecurely(hosting, { ca, servername: A })).status).toBe(200);
  await hosting.storage.deleteMany([siteKey(A)]);
  hosting.clock.now += 1_000;
  await expect(shakeHands(hosting, { ca, servername: A })).rejects.toThrow(NO_SITE);
  await vi.waitFor(() => expect(hosting.counts.certificates).toMatchObject({ opened: 1, closed: 1 }), SOON);
});

test('a deleted certificate is used for a minute at most', async () => {
  await using hosting = await startSecureHosting();
  await publishSecureSite(hosting, A, ofA);
  expect((await askSecurely(hosting, { ca, servername: A })).status).toBe(200);
  await hosting.storage.deleteMany([certificateKey(A)]);
  hosting.clock.now += 29_999;
  expect((await askSecurely(hosting, { ca, servername: A })).status).toBe(200);
  hosting.clock.now += 30_001;
  await expect(shakeHands(hosting, { ca, servername: A })).rejects.toThrow(NO_CERTIFICATE);
  await putCertificate(hosting.storage, sealed(A, ofA));
  hosting.clock.now += 1_000;
  expect((await askSecurely(hosting, { ca, servername: A })).status).toBe(200);
});

test('a renewal is seen while 100 handshakes are under way, and none fails', async () => {
  await using hosting = await startSecureHosting();
  await publishSecureSite(hosting, A, ofA);
  const { serial: old } = await askSecurely(hosting, { ca, servername: A });
  await putCertificate(hosting.storage, sealed(A, await authority.issue(A)));
  hosting.clock.now += 30_000;
  const many = () =>
    Promise.all(Array.from({ length: 100 }, () => askSecurely(hosting, { ca, servername: A })));
  expect(new Set((await many()).map(({ status }) => status))).toEqual(new Set([200]));
  const after = new Set((await many()).map(({ serial }) => serial));
  expect(after.size).toBe(1);
  expect(after).not.toContain(old);
  expect(hosting.counts.certificates).toMatchObject({ opened: 2, closed: 1, failures: 0 });
  expect(hosting.counts.handshakes.broken).toBe(0);
});

test('a renewal that site.json names is seen by the next handshake', async () => {
  await using hosting = await startSecureHosting();
  await publishSecureSite(hosting, A, ofA);
  const { serial: old } = await askSecurely(hosting, { ca, servername: A });
  const renewed = sealed(A, await authority.issue(A));
  await putCertificate(hosting.storage, renewed);
  const certificate = contentDigest([Buffer.from(JSON.stringify(renewed))]);
  await publishSite(hosting.storage, { hostname: A, https: true, generation: 2, certificate });
  hosting.clock.now += 1_000;
  expect((await askSecurely(hosting, { ca, servername: A })).serial).not.toBe(old);
  expect((await askSecurely(hosting, { ca, servername: A })).status).toBe(200);
  expect(hosting.counts.certificates).toMatchObject({ opened: 2, failures: 0 });
});

test('a site.json that names another certificate than the store has costs one read a second', async () => {
  await using hosting = await startSecureHosting();
  await publishSecureSite(hosting, A, ofA);
  await publishSite(hosting.storage, { hostname: A, https: true, certificate: 'another' });
  const reads = () => hosting.faults.asked.filter((key) => key === certificateKey(A)).length;
  for (let n = 0; n < 5; n++) expect((await askSecurely(hosting, { ca, servername: A })).status).toBe(200);
  expect(reads()).toBe(1);
  hosting.clock.now += 1_000;
  for (let n = 0; n < 5; n++) expect((await askSecurely(hosting, { ca, servername: A })).status).toBe(200);
  expect(reads()).toBe(2);
});

const damages: Record<string, (text: string) => string> = {
  'a flipped bit in the sealed key': (text) =>
    text.replace(/("bytes":".{20})(.)/, (_, before, letter) => before + (letter === 'A' ? 'B' : 'A')),
  'another chain': () => JSON.stringify({ ...sealed(A, ofA), chain: ofB.chain }),
  'an unknown key': () => JSON.stringify(sealed(A, ofA, new KeyRing(newKeyRingText().replace('k1', 'k9')))),
  'the certificate of another': () => JSON.stringify(sealed(B, ofB)),
  'the hostname changed': () => JSON.stringify({ ...sealed(B, ofB), hostname: A }),
  'no JSON': (text) => text.slice(0, -9),
  'no object': () => 'null',
  'a chain without certificates': () => JSON.stringify(sealed(A, { ...ofA, chain: 'none' })),
  'the key of another': () => JSON.stringify(sealed(A, { ...ofA, privateKey: ofB.privateKey })),
  'no key': () => JSON.stringify(sealed(A, { ...ofA, privateKey: Buffer.from('none') })),
};

test.each(Object.entries(damages))('%s: this host alone fails, with a complaint', async (_, damage) => {
  await using hosting = await startSecureHosting();
  await publishSecureSite(hosting, A, ofA);
  await publishSecureSite(hosting, B, ofB);
  const damaged = Buffer.from(damage(JSON.stringify(sealed(A, ofA))));
  await hosting.storage.put(certificateKey(A), [damaged]);
  for (const _ of [1, 2, 3]) {
    await expect(shakeHands(hosting, { ca, servername: A })).rejects.toThrow(NO_CERTIFICATE);
  }
  expect((await askSecurely(hosting, { ca, servername: B })).status).toBe(200);
  expect(hosting.logged).toMatchObject([{ message: 'a certificate cannot be used', details: { host: A } }]);
  expect(hosting.counts.certificates).toMatchObject({ failures: 1, opened: 1 });

  await putCertificate(hosting.storage, sealed(A, ofA));
  hosting.clock.now += 1_000;
  expect((await askSecurely(hosting, { ca, servername: A })).status).toBe(200);
  // Damaged while we hold it: the held one stays.
  await hosting.storage.put(certificateKey(A), [damaged]);
  hosting.clock.now += 60_000;
  expect((await askSecurely(hosting, { ca, servername: A })).status).toBe(200);
  expect(hosting.counts.certificates.failures).toBe(2);
});

test('no private key is in a log line', async () => {
  await using hosting = await startSecureHosting();
  await publishSecureSite(hosting, A, { ...ofA, privateKey: ofB.privateKey });
  await expect(shakeHands(hosting, { ca, servername: A })).rejects.toThrow(NO_CERTIFICATE);
  const { err } = hosting.logged[0]!.details as { err: Error };
  const said = `${err.message} ${err.stack} ${JSON.stringify(hosting.logged)}`;
  expect(said).not.toContain(ofB.privateKey.toString('base64').slice(20, 60));
  expect(said).not.toContain('PRIVATE KEY');
});

test.each(['fails', 'hangs'] as const)(
  'while the store %s, held hosts go on and others get an alert',
  async (fault) => {
    await using hosting = await startSecureHosting({ storageTimeoutMs: 200 });
    await publishSecureSite(hosting, A, ofA);
    await publishSecureSite(hosting, B, ofB);
    expect((await askSecurely(hosting, { ca, servername: A })).status).toBe(200);
    hosting.faults.fault = () => fault;
    for (let hours = 0; hours < 3; hours++) {
      hosting.clock.now += 3_600_000;
      expect((await askSecurely(hosting, { ca, servername: A })).status).toBe(200);
    }
    await expect(shakeHands(hosting, { ca, servername: B })).rejects.toThrow(NO_CERTIFICATE);
    expect(hosting.counts.handshakes).toMatchObject({ unavailable: 1 });
    hosting.faults.fault = () => 'none';
    hosting.clock.now += 60_000;
    expect((await askSecurely(hosting, { ca, servername: B })).status).toBe(200);
  },
);

test('more hosts than fit are served, and those that make room free their memory', async () => {
  const names = await manyNames(authority, 60);
  await using hosting = await startSecureHosting({ certificateCacheBytes: 5 * 42 * 1024 });
  for (const [name, certificate] of names) await publishSecureSite(hosting, name, certificate);
  for (const _ of [1, 2]) {
    const answers = await Promise.all(
      [...names.keys()].map((servername) => askSecurely(hosting, { ca, servername })),
    );
    expect(answers.map(siteOf)).toEqual([...names.keys()]);
  }
  const { opened, closed } = hosting.counts.certificates;
  expect(opened).toBeGreaterThanOrEqual(115);
  expect(opened - closed).toBeLessThanOrEqual(5);
  expect(hosting.counts.certificateBytes()).toBeLessThanOrEqual(5 * 42 * 1024);
  expect(hosting.counts.handshakes).toMatchObject({ full: 120, broken: 0, unavailable: 0 });
});

test('800 random names cost the store a bounded number of reads, and hosts with certificates are served', async () => {
  await using hosting = await startSecureHosting();
  await publishSecureSite(hosting, A, ofA);
  await publishHosts(hosting.storage, [A]);
  const strangers = Array.from({ length: 20 }, async (_, client) => {
    for (let n = 0; n < 40; n++) {
      const servername = `x${client}-${n}.example.org`;
      await expect(shakeHands(hosting, { ca, servername })).rejects.toThrow(NO_SITE);
    }
  });
  for (let n = 0; n < 10; n++) expect((await askSecurely(hosting, { ca, servername: A })).status).toBe(200);
  await Promise.all(strangers);
  expect(hosting.faults.asked.toSorted()).toEqual([certificateKey(A), siteKey(A)].toSorted());
  // Two for each of 64 shards, the budget of one client, and those under way when it ran out.
  expect(hosting.faults.askedForHosts.length).toBeLessThanOrEqual(2 * 64 + 20 + 100);
  expect(hosting.counts.handshakes).toMatchObject({ full: 10, unknownName: 800 });
});

test('hosts with a site and without a certificate have a budget', async () => {
  await using hosting = await startSecureHosting({ unknownHostsPerSecond: 50 });
  const names = [...(await manyNames(authority, 40)).keys()];
  for (const name of names) {
    await publishSecureSite(hosting, name, ofA);
    await hosting.storage.deleteMany([certificateKey(name)]);
  }
  for (const servername of names) await expect(shakeHands(hosting, { ca, servername })).rejects.toThrow();
  // A tenth of the budget is for one client.
  expect(hosting.faults.asked.filter((key) => key.startsWith('certificates/')).length).toBe(5);
  expect(hosting.counts.handshakes).toMatchObject({ unknownName: 5, unavailable: 35 });
});

test('sites that wait for their certificates use up no budget, and hosts with a certificate are served', async () => {
  await using hosting = await startSecureHosting({ unknownHostsPerSecond: 50 });
  await publishSecureSite(hosting, A, ofA);
  const names = Array.from({ length: 60 }, (_, n) => `waiting${n}.example.com`);
  for (const hostname of names) await publishSite(hosting.storage, { hostname, https: false });
  for (const servername of names) await expect(shakeHands(hosting, { ca, servername })).rejects.toThrow();
  expect((await askSecurely(hosting, { ca, servername: A })).status).toBe(200);
  expect(hosting.counts.handshakes).toMatchObject({ full: 1, unknownName: 60, unavailable: 0 });
  expect(hosting.faults.asked.filter((key) => key.startsWith('certificates/'))).toEqual([certificateKey(A)]);
});

test('a site gets HTTPS as soon as site.json says so', async () => {
  await using hosting = await startSecureHosting();
  await publishSite(hosting.storage, { hostname: A, https: false });
  await expect(shakeHands(hosting, { ca, servername: A })).rejects.toThrow(NO_CERTIFICATE);
  await publishSecureSite(hosting, A, ofA);
  hosting.clock.now += 1_000;
  expect((await askSecurely(hosting, { ca, servername: A })).status).toBe(200);
});
