import { afterAll, expect, test } from 'vitest';
import { createDiagnose } from '../../src/features/domains/diagnose-domain.ts';
import type { Domain } from '../../src/features/domains/domain.ts';
import { findDomain } from '../../src/features/domains/domain-store.ts';
import { verifyDomain } from '../../src/features/domains/verify-domain.ts';
import { openChange } from '../../src/features/sites/change-site.ts';
import { Turns } from '../../src/platform/concurrency/turns.ts';
import { createLookUp } from '../../src/platform/dns/look-up.ts';
import { addAccount, addDomain } from '../support/accounts.ts';
import { startDnsServer } from '../support/dns-server.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase();
const dns = await startDnsServer();
afterAll(() => dns[Symbol.asyncDispose]());
const account = await addAccount(database);

const written: string[] = [];
const begun: string[] = [];
const options = {
  database,
  diagnose: createDiagnose(createLookUp([dns.address])),
  diagnosisTurns: new Turns(20),
  onVerified: async (_transaction: unknown, { id }: Domain) => void begun.push(id),
  openChange: () => openChange({ database, writeSite: async (hostname) => void written.push(hostname) }),
};

async function newDomain(cname?: (domain: Domain) => string): Promise<Domain> {
  const domain = await addDomain(database, account);
  if (cname !== undefined) dns.answers.set(domain.hostname, { cname: cname(domain) });
  return domain;
}

const generationOf = async ({ id }: Domain) =>
  (await database.query('SELECT generation FROM domains WHERE id = $1', [id])).rows[0].generation;

test('the expected record verifies the domain, which gets a new generation and is published', async () => {
  const domain = await newDomain(({ cnameTarget }) => cnameTarget);
  const before = await generationOf(domain);
  const outcome = await verifyDomain(options, domain);
  expect(outcome.domain).toMatchObject({
    status: 'verified',
    sslStatus: 'provisioning',
    verifiedAt: expect.any(Date),
  });
  expect(await findDomain(database, domain.id)).toEqual(outcome.domain);
  expect(await generationOf(domain)).toBeGreaterThan(before);
  expect(written).toContain(domain.hostname);
});

test('capitals and a trailing dot do not matter', async () => {
  const domain = await newDomain(({ cnameTarget }) => `${cnameTarget.toUpperCase()}.`);
  expect((await verifyDomain(options, domain)).domain.status).toBe('verified');
});

test('another target changes nothing, and the message has both names', async () => {
  const domain = await newDomain(() => 'other.cname.example.net');
  const outcome = await verifyDomain(options, domain);
  expect(outcome.domain).toEqual(domain);
  expect(outcome.message).toContain('other.cname.example.net');
  expect(outcome.message).toContain(domain.cnameTarget);
  expect(await findDomain(database, domain.id)).toEqual(domain);
  expect(written).not.toContain(domain.hostname);
});

test("another account's target for the same hostname does not verify", async () => {
  const domain = await newDomain();
  const [label, ...base] = domain.cnameTarget.split('.');
  dns.answers.set(domain.hostname, { cname: [Array.from(label!).reverse().join(''), ...base].join('.') });
  expect((await verifyDomain(options, domain)).domain.status).toBe('pending_verification');
});

test('a missing record changes nothing, and the message has the expected one', async () => {
  const domain = await newDomain();
  const outcome = await verifyDomain(options, domain);
  expect(outcome.domain).toEqual(domain);
  expect(outcome.message).toContain(domain.cnameTarget);
});

test('a failing resolver changes nothing, and is not taken for a missing record', async () => {
  const domain = await newDomain();
  dns.answers.set(domain.hostname, 'server failure');
  const outcome = await verifyDomain(options, domain);
  expect(outcome.domain).toEqual(domain);
  expect(outcome.message).toContain('failed');
});

test('a verified domain is answered without a query', async () => {
  const domain = await newDomain(({ cnameTarget }) => cnameTarget);
  const { domain: verified } = await verifyDomain(options, domain);
  dns.asked.length = 0;
  expect((await verifyDomain(options, verified)).domain).toEqual(verified);
  expect(dns.asked).not.toContain(domain.hostname);
});

test('a failed domain can be verified again', async () => {
  const domain = await newDomain(({ cnameTarget }) => cnameTarget);
  await database.query("UPDATE domains SET status = 'failed', ssl_status = 'failed' WHERE id = $1", [
    domain.id,
  ]);
  const failed = await findDomain(database, domain.id);
  expect((await verifyDomain(options, failed!)).domain).toMatchObject({
    status: 'verified',
    sslStatus: 'provisioning',
  });
});

test('parallel verifications all answer that the domain is verified', async () => {
  const domain = await newDomain(({ cnameTarget }) => cnameTarget);
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => verifyDomain(options, domain)));
  const [first, ...others] = outcomes.map((outcome) => outcome.domain);
  expect(first?.status).toBe('verified');
  for (const other of others) expect(other).toEqual(first);
});

test('a name below localhost needs no record', async () => {
  const domain = await addDomain(database, account);
  await database.query("UPDATE domains SET hostname = 'maps.localhost' WHERE id = $1", [domain.id]);
  const local = await findDomain(database, domain.id);
  expect((await verifyDomain(options, local!)).domain.status).toBe('verified');
});
