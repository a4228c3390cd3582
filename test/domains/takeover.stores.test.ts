/** No account gets another account's hostname or content: by registering, verifying, racing, deleting, or an old record. */
import { Socket as UdpSocket } from 'node:dgram';
import { Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { createDomain } from '../../src/features/domains/create-domain.ts';
import { deleteDomain, deleteExpiredDomains } from '../../src/features/domains/delete-domain.ts';
import type { Domain } from '../../src/features/domains/domain.ts';
import { verifyUnchecked } from '../../src/features/domains/verify-domain.ts';
import { uploadPrefix } from '../../src/features/sites/site.ts';
import { newId } from '../../src/platform/ids.ts';
import { addAccount, CNAME_TARGETS } from '../support/accounts.ts';
import { borrow } from '../support/borrow.ts';
import { plainEntries } from '../uploads/batches.ts';
import { createLifeFixture } from './life-fixture.ts';

const fixture = await createLifeFixture();
const postgres = new URL(await borrow('postgres'));
const { database, dns, find, life, pass, point, site, sweep, unserved, upload, verified, verify, watch } =
  fixture;
const creation = {
  database,
  newId,
  hostnameRules: { reserved: [], trialNames: [] },
  cnameTargets: CNAME_TARGETS,
  diagnose: life.diagnose,
  diagnosisTurns: life.diagnosisTurns,
};

let names = 0;
const freshHostname = () => `contested${++names}.example.com`;
const register = async (hostname: string, account?: string): Promise<Domain> =>
  (await createDomain(creation, account ?? (await addAccount(database)), 10, hostname)).domain;

/** A's served domain with a sitemap. */
async function served(hostname = freshHostname()) {
  const domain = await register(hostname);
  point(domain, domain.cnameTarget);
  const { uploadId } = await upload(domain.accountId, { domain: hostname, urls: plainEntries(3) });
  expect((await verify(domain)).domain.status).toBe('verified');
  return { domain: await find(domain), uploadId };
}

const uploadsAt = async (hostname: string) =>
  (await site(hostname))?.sitemaps.map(({ uploadId }) => uploadId);

/** Moves A's domain away until it fails. */
async function fail(domain: Domain): Promise<void> {
  for (let n = 0; n < 3; n++) {
    await pass(domain, (await watch(domain)).next! + 0.1);
    await sweep();
  }
  await database.query('UPDATE domains SET wrong_checks = 20 WHERE id = $1', [domain.id]);
  await pass(domain, 7 * 24 * 60);
  await sweep();
  expect((await find(domain)).status).toBe('failed');
}

test('a hostname that another account holds is a conflict, and the holder is checked at once', async () => {
  const { domain } = await served();
  await pass(domain, 2);
  await expect(register(domain.hostname)).rejects.toMatchObject({ code: 'CONFLICT' });
  expect((await watch(domain)).next).toBeLessThanOrEqual(0);
  point(domain, 'elsewhere.example.net');
  await sweep();
  expect(await watch(domain)).toMatchObject({ wrong: 1, moved: null });
  // More requests do not hurry the watch.
  await pass(domain, 2);
  dns.asked.length = 0;
  for (let n = 0; n < 5; n++) {
    await expect(register(domain.hostname)).rejects.toMatchObject({ code: 'CONFLICT' });
    await sweep();
  }
  expect(dns.asked).not.toContain(domain.hostname);
  expect(await watch(domain)).toMatchObject({ wrong: 1, moved: null });
});

test('a registration of somebody else does not keep the owner out', async () => {
  const squatter = await register(freshHostname());
  const owner = await register(squatter.hostname);
  point(owner, owner.cnameTarget);
  expect((await verify(squatter)).domain.status).toBe('pending_verification');
  expect((await verify(owner)).domain.status).toBe('verified');
});

test("a pending domain publishes nothing, and its deletion and its end leave the holder's site as it is", async () => {
  const hostname = freshHostname();
  const [deleted, expired] = [await register(hostname), await register(hostname)];
  const { domain, uploadId } = await served(hostname);
  const before = await site(hostname);
  const theirs = [];
  for (const { accountId } of [deleted, expired]) {
    theirs.push((await upload(accountId, { domain: hostname, urls: plainEntries(5) })).uploadId);
  }
  expect(await site(hostname)).toEqual(before);
  await deleteDomain(life, deleted);
  await pass(expired, 30 * 24 * 60 + 1);
  await deleteExpiredDomains(life);
  for (const one of [deleted, expired]) expect(await find(one)).toBeUndefined();
  expect(await site(hostname)).toEqual(before);
  expect(await uploadsAt(hostname)).toEqual([uploadId]);
  expect(await fixture.garbage()).toEqual(expect.arrayContaining(theirs.map(uploadPrefix)));
  expect(unserved).toEqual([]);
  await deleteDomain(life, domain);
  expect(unserved).toEqual([domain.id]);
  expect(await site(hostname)).toBeUndefined();
});

test('a verified domain does not end after 30 days, nor a pending one before', async () => {
  const { domain } = await served();
  const pending = await register(freshHostname());
  await pass(domain, 40 * 24 * 60);
  await pass(pending, 29 * 24 * 60);
  await deleteExpiredDomains(life);
  for (const one of [domain, pending]) expect(await find(one)).toBeDefined();
});

test('a domain that is verified just before it would end stays', async () => {
  const domain = await register(freshHostname());
  await pass(domain, 31 * 24 * 60);
  point(domain, domain.cnameTarget);
  await deleteExpiredDomains({
    ...life,
    openChange: async () => {
      await verify(domain);
      return life.openChange();
    },
  });
  expect((await find(domain)).status).toBe('verified');
});

test('of 20 accounts that verify at once, one has the hostname', async () => {
  const hostname = freshHostname();
  const domains = await Promise.all(Array.from({ length: 20 }, () => register(hostname)));
  const uploads = new Map<string, string>();
  for (const { id, accountId } of domains) {
    uploads.set(id, (await upload(accountId, { domain: hostname, urls: plainEntries(1) })).uploadId);
  }
  verified.length = 0;
  const outcomes = await Promise.allSettled(
    domains.map((domain) => verifyUnchecked(life, domain, { isChecked: true })),
  );
  const winners = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value!] : []));
  expect(winners).toHaveLength(1);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'CONFLICT' });
  }
  const states = await Promise.all(domains.map(async (domain) => (await find(domain)).status));
  expect(states.sort()).toEqual([...Array(19).fill('pending_verification'), 'verified']);
  expect(verified.filter((id) => id === winners[0]!.id)).toHaveLength(1);
  expect(await uploadsAt(hostname)).toEqual([uploads.get(winners[0]!.id)]);
});

test('right records do not take a hostname from its holder, and the message says what happens', async () => {
  const hostname = freshHostname();
  const challenger = await register(hostname);
  const { domain, uploadId } = await served(hostname);
  point(challenger, challenger.cnameTarget);
  const { domain: after, message } = await verify(challenger);
  expect(after).toEqual(challenger);
  expect(message).toMatch(/another account has verified .* before.*7 days/);
  expect(await find(domain)).toEqual(domain);
  expect(await uploadsAt(hostname)).toEqual([uploadId]);
});

test("the former owner's record and proof verify nobody else", async () => {
  const { domain } = await served();
  await deleteDomain(life, domain);
  const other = await register(domain.hostname);
  expect((await verify(other)).domain.status).toBe('pending_verification');
  const [label] = domain.cnameTarget.split('.');
  dns.answers.set(domain.cnameTarget, { a: ['192.0.2.10'] });
  dns.answers.set(other.cnameTarget, { a: ['192.0.2.10'] });
  dns.answers.set(domain.hostname, { a: ['192.0.2.10'] });
  dns.answers.set(`_waypost.${domain.hostname}`, { txt: [label!] });
  expect((await verify(other)).domain.status).toBe('pending_verification');
  // The hostname's own proof does not help while the hostname leads to the other account's target.
  dns.answers.set(`_waypost.${domain.hostname}`, { txt: [other.cnameTarget.split('.')[0]!] });
  point(other, domain.cnameTarget);
  expect((await verify(other)).domain.status).toBe('pending_verification');
  dns.answers.set(domain.hostname, { a: ['192.0.2.10'] });
  expect((await verify(other)).domain.status).toBe('verified');
});

test('after a move, the new account has the hostname, and the old content is never shown under it', async () => {
  const { domain: old, uploadId: oldUpload } = await served();
  const { hostname } = old;
  point(old, 'new.example.net');
  await fail(old);
  expect(await site(hostname)).toBeUndefined();
  const next = await register(hostname);
  point(next, next.cnameTarget);
  expect((await verify(next)).domain.status).toBe('verified');
  expect(await uploadsAt(hostname)).toEqual([]);
  // The old account still uploads and deletes, but crawlers see neither.
  const late = await upload(old.accountId, { domain: hostname, urls: plainEntries(7) });
  expect(late.isServed).toBe(false);
  expect(await uploadsAt(hostname)).toEqual([]);
  const { uploadId } = await upload(next.accountId, { domain: hostname, urls: plainEntries(2) });
  expect(await uploadsAt(hostname)).toEqual([uploadId]);
  expect((await verify(await find(old))).domain.status).toBe('failed');
  await deleteDomain(life, old);
  expect(await uploadsAt(hostname)).toEqual([uploadId]);
  expect(JSON.stringify(await site(hostname))).not.toContain(oldUpload);
});

test('no connection is made to an address that DNS names', async () => {
  const domain = await register(freshHostname());
  const tcp = vi.spyOn(Socket.prototype, 'connect');
  const udp = vi.spyOn(UdpSocket.prototype, 'connect');
  for (const a of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '192.0.2.1']) {
    const records = { a: [a], aaaa: ['::1', '::ffff:127.0.0.1', 'fe80::1'], txt: ['http://127.0.0.1/'] };
    for (const name of [domain.hostname, domain.cnameTarget, `_waypost.${domain.hostname}`])
      dns.answers.set(name, records);
    expect((await verify(domain)).domain.status).toBe('pending_verification');
  }
  expect(new Set(udp.mock.calls.map(([port, address]) => `${address}:${port}`))).toEqual(
    new Set([dns.address]),
  );
  // The pool may open another connection to Postgres meanwhile.
  expect(tcp.mock.calls.filter(([port]) => String(port) !== postgres.port)).toEqual([]);
  vi.restoreAllMocks();
});
