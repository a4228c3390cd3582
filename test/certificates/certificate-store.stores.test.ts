/** The lease, its fence, and which certificates are due: over several connections, as several processes have them. */
import { afterAll, expect, test } from 'vitest';
import type { CertificateWork } from '../../src/features/certificates/certificate.ts';
import {
  endLease,
  findDelay,
  listDueFirsts,
  listDueRenewals,
  postpone,
  readExpiries,
  renewLease,
  requestCertificates,
  saveCertificate,
  saveFailure,
  saveOrder,
  saveRenewalTime,
  setPriorities,
  stopCertificate,
  takeLease,
} from '../../src/features/certificates/certificate-store.ts';
import { enqueueDueCertificates } from '../../src/features/certificates/due-certificates.ts';
import type { Issuer } from '../../src/features/certificates/issuer.ts';
import { firstRenewalTime } from '../../src/features/certificates/renewal-time.ts';
import type { Domain } from '../../src/features/domains/domain.ts';
import type { KeyRing } from '../../src/platform/key-ring.ts';
import { type Database, inTransaction } from '../../src/platform/postgres/database.ts';
import { LeaseLost } from '../../src/platform/postgres/lease.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { createPatientPool } from '../support/patient-pool.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database, url } = await createTestDatabase();
const account = await addAccount(database);
const pools = Array.from({ length: 10 }, () => createPatientPool(url, 1));
afterAll(() => Promise.all(pools.map((pool) => pool.end())));

const HOUR_MS = 3_600_000;
const SEALED = { keyId: 'k1', bytes: 'AAAA' };
const unlimited = { room: async () => Number.POSITIVE_INFINITY } as Issuer;
const ORDER = { directory: 'https://ca.example/dir', url: 'https://ca.example/order/1', key: SEALED };

async function addDue(owner = account): Promise<Domain> {
  const domain = await addVerifiedDomain(database, owner);
  await inTransaction(database, (transaction) => requestCertificates(transaction, [domain]));
  return domain;
}

async function lease(domainId: string, pool: Database = database): Promise<CertificateWork> {
  const work = await takeLease(pool, domainId);
  if (work === undefined || 'leasedMs' in work) throw new Error('the lease is taken');
  return work;
}

const passTime = (domainId: string, ms: number) =>
  database.query(
    `UPDATE certificates SET leased_until = leased_until - $2 * interval '1 millisecond',
            due_at = due_at - $2 * interval '1 millisecond', not_after = not_after - $2 * interval '1 millisecond'
      WHERE domain_id = $1`,
    [domainId, ms],
  );

const certificateUntil = (now: Date, ms: number) => ({
  ...{ chain: 'chain', key: SEALED, directory: null, issuer: 'CA', ariId: null },
  notBefore: now,
  notAfter: new Date(now.getTime() + ms),
  renewAt: new Date(now.getTime() + ms / 2),
});

test('of ten processes at once, one has the lease, and the others learn for how long', async () => {
  const { id } = await addDue();
  const taken = await Promise.all(pools.map((pool) => takeLease(pool, id)));
  const works = taken.filter((work) => work !== undefined && 'fence' in work);
  expect(works).toHaveLength(1);
  for (const work of taken) {
    if (work === undefined || 'fence' in work) continue;
    expect(work.leasedMs).toBeGreaterThan(0);
    expect(work.leasedMs).toBeLessThanOrEqual(30_000);
  }
});

test('a lease that ends by itself goes to another process, and the former one changes nothing any more', async () => {
  const { id } = await addDue();
  const former = await lease(id, pools[0]);
  await passTime(id, 31_000);
  await expect(renewLease(pools[0]!, former)).rejects.toThrow(LeaseLost);
  const present = await lease(id, pools[1]);
  expect(present.fence).toBeGreaterThan(former.fence);
  const changes: ((work: CertificateWork) => Promise<unknown>)[] = [
    (work) => renewLease(database, work),
    (work) => saveOrder(database, work, ORDER),
    (work) => saveFailure(database, work, { message: 'no', retryMs: 1 }),
    (work) => postpone(database, work, { message: 'later', retryMs: 1 }),
    (work) => saveRenewalTime(database, work, work.now, work.now),
    (work) =>
      inTransaction(database, (transaction) =>
        saveCertificate(transaction, work, certificateUntil(work.now, HOUR_MS), work.now),
      ),
  ];
  for (const change of changes) await expect(change(former)).rejects.toThrow(LeaseLost);
  await endLease(database, former);
  expect(await takeLease(database, id)).toHaveProperty('leasedMs');
  for (const change of changes) await change(present);
  await endLease(database, present);
  expect(await lease(id)).toMatchObject({ certificate: { chain: 'chain' }, order: undefined, failures: 0 });
});

test('an order that one process saved goes on in another', async () => {
  const { id } = await addDue();
  const first = await lease(id);
  await saveOrder(database, first, ORDER);
  await passTime(id, 31_000);
  expect((await lease(id)).order).toEqual(ORDER);
});

test.each([
  [
    'a new verification',
    (domain: Domain) => inTransaction(database, (t) => requestCertificates(t, [domain])),
  ],
  ['the end of the service', (domain: Domain) => stopCertificate(database, domain.id)],
  [
    'the deletion of the domain',
    (domain: Domain) => database.query('DELETE FROM domains WHERE id = $1', [domain.id]),
  ],
])('%s takes the fence from work under way, and leaves its lease to end', async (_, change) => {
  const domain = await addDue();
  const work = await lease(domain.id);
  await change(domain);
  await expect(saveFailure(database, work, { message: 'no', retryMs: 1 })).rejects.toThrow(LeaseLost);
  await endLease(database, work);
  const next = await takeLease(database, domain.id);
  if (next !== undefined) expect(next).toHaveProperty('leasedMs');
});

test('what is due soon is listed, the longest due first, without what another process works on', async () => {
  await database.query('DELETE FROM certificates');
  const [late, soon, later, leased, stopped] = [
    await addDue(),
    await addDue(),
    await addDue(),
    await addDue(),
    await addDue(),
  ];
  const dueIn = (domain: Domain, ms: number, column = 'due_at') =>
    database.query(
      `UPDATE certificates SET ${column} = now() + $2 * interval '1 millisecond' WHERE domain_id = $1`,
      [domain!.id, ms],
    );
  await dueIn(late!, -HOUR_MS);
  await dueIn(soon!, HOUR_MS);
  await dueIn(soon!, 30_000, 'ari_check_at');
  await dueIn(later!, 2 * HOUR_MS);
  await lease(leased!.id);
  await stopCertificate(database, stopped!.id);
  await database.query("UPDATE certificates SET chain = 'PEM'");
  const listed = await listDueRenewals(database, 60_000, 10);
  expect(listed.map(({ domainId }) => domainId)).toEqual([late!.id, soon!.id]);
  expect(listed[0]!.delayMs).toBe(0);
  expect(listed[1]!.delayMs).toBeGreaterThan(0);
  expect(await listDueRenewals(database, 60_000, 1)).toHaveLength(1);
  expect(await findDelay(database, late!.id)).toBe(0);
  expect(await findDelay(database, stopped!.id)).toBeUndefined();
  await passTime(leased!.id, 31_000);
  expect(await listDueRenewals(database, 60_000, 10)).toHaveLength(3);
});

test('first certificates come in the order of their priority: where crawlers come, new ones, others', async () => {
  await database.query('DELETE FROM certificates');
  const [other, crawled, fresh, renewed] = [await addDue(), await addDue(), await addDue(), await addDue()];
  await database.query("UPDATE certificates SET chain = 'PEM' WHERE domain_id = $1", [renewed!.id]);
  await database.query("UPDATE domains SET verified_at = now() - interval '2 days' WHERE id = ANY($1)", [
    [other!.id, crawled!.id],
  ]);
  await database.query('UPDATE domains SET verified_at = now() WHERE id = $1', [fresh!.id]);
  await database.query("INSERT INTO crawls VALUES ($1, current_date, 'google', 200, 1)", [crawled!.id]);
  await setPriorities(database);
  const listed = await listDueFirsts(database, 60_000, 10);
  expect(listed.map(({ domainId }) => domainId)).toEqual([crawled!.id, fresh!.id, other!.id]);
  expect(await listDueFirsts(database, 60_000, 1)).toHaveLength(1);
});

test('within a priority, accounts take turns', async () => {
  await database.query('DELETE FROM certificates');
  const another = await addAccount(database);
  const [first, second, third] = [await addDue(), await addDue(), await addDue()];
  const [late, later] = [await addDue(another), await addDue(another)];
  const listed = await listDueFirsts(database, 0, 10);
  expect(listed.map(({ domainId }) => domainId)).toEqual(
    [first, late, second, later, third].map(({ id }) => id),
  );
});

test('first certificates beyond the orders that may begin now are put off together, except those with an order', async () => {
  await database.query('DELETE FROM certificates');
  const due = [await addDue(), await addDue(), await addDue(), await addDue()];
  const [first, second, third, ordered] = due.map(({ id }) => id);
  const work = await lease(ordered!);
  await saveOrder(database, work, ORDER);
  await endLease(database, work);
  const issuer = { room: async () => 2 } as Issuer;
  const authorities = { keys: {} as KeyRing, issuerFor: () => issuer };
  const enqueued: string[] = [];
  await enqueueDueCertificates({ database, authorities }, async (id) => void enqueued.push(id));
  expect(enqueued).toEqual([first, second, ordered]);
  // The next sweep looks at it again.
  expect(await findDelay(database, third!)).toBeGreaterThan(60_000);
  expect(await findDelay(database, third!)).toBeLessThanOrEqual(70_000);
  const { rows } = await database.query('SELECT last_error FROM certificates WHERE domain_id = $1', [third]);
  expect(rows).toEqual([{ last_error: expect.stringContaining('as many as its own limit allows') }]);
  expect(await findDelay(database, first!)).toBe(0);
});

test('first certificates without an authority are put off together, except those under way', async () => {
  await database.query('DELETE FROM certificates');
  const [certified, first, second, leased] = [await addDue(), await addDue(), await addDue(), await addDue()];
  await lease(leased!.id);
  const issuerFor = (hostname: string) => (hostname === certified!.hostname ? unlimited : undefined);
  const authorities = { keys: {} as KeyRing, issuerFor };
  const enqueued: string[] = [];
  await enqueueDueCertificates({ database, authorities }, async (id) => void enqueued.push(id));
  expect(enqueued).toEqual([certified!.id]);
  for (const { id, hostname } of [first!, second!]) {
    expect(await findDelay(database, id)).toBeGreaterThan(3_500_000);
    const { rows } = await database.query('SELECT last_error FROM certificates WHERE domain_id = $1', [id]);
    expect(rows).toEqual([
      { last_error: expect.stringContaining(`no certificate authority for ${hostname}.`) },
    ]);
  }
  expect(await findDelay(database, leased!.id)).toBe(0);
  // Later, an operator has configured one.
  await passTime(first!.id, 3_600_000);
  const later = { keys: {} as KeyRing, issuerFor: () => unlimited };
  await enqueueDueCertificates({ database, authorities: later }, async (id) => void enqueued.push(id));
  expect(enqueued.slice(1).sort()).toEqual([certified!.id, first!.id].sort());
});

test('while a certificate is valid, the next attempt comes when it expires, at the latest', async () => {
  const { id } = await addDue();
  const work = await lease(id);
  const until = certificateUntil(work.now, HOUR_MS);
  await inTransaction(database, (transaction) =>
    saveCertificate(transaction, work, until, new Date(until.notAfter.getTime() + HOUR_MS)),
  );
  for (const wait of [saveFailure, postpone]) {
    await wait(database, work, { message: 'later', retryMs: 24 * HOUR_MS });
    expect(await findDelay(database, id)).toBeLessThanOrEqual(HOUR_MS);
    await wait(database, work, { message: 'later', retryMs: 60_000 });
    expect(await findDelay(database, id)).toBeLessThanOrEqual(60_000);
  }
});

test.each([
  [90, 8, 0],
  [90, 6, 1],
  [6, 3, 0],
  [6, 1, 1],
])('of %d days, a certificate with %d left counts as late: %d', async (lifetime, left, late) => {
  await database.query('DELETE FROM certificates');
  const { id } = await addDue();
  await database.query("UPDATE domains SET status = 'active' WHERE id = $1", [id]);
  await database.query(
    `UPDATE certificates SET chain = 'PEM', not_after = now() + $2 * interval '1 day',
            not_before = now() + ($2 - $3) * interval '1 day' WHERE domain_id = $1`,
    [id, left, lifetime],
  );
  expect((await readExpiries(database)).late).toBe(late);
});

test('a new renewal time does not bring an attempt forward that was put off', async () => {
  const { id } = await addDue();
  const work = await lease(id);
  const at = (ms: number) => new Date(work.now.getTime() + ms);
  await inTransaction(database, (transaction) =>
    saveCertificate(transaction, work, certificateUntil(work.now, 99 * HOUR_MS), at(HOUR_MS)),
  );
  await saveRenewalTime(database, work, at(0), at(HOUR_MS));
  expect(await findDelay(database, id)).toBe(0);
  await postpone(database, work, { message: 'later', retryMs: HOUR_MS });
  await saveRenewalTime(database, work, at(0), at(2 * HOUR_MS));
  expect(await findDelay(database, id)).toBeGreaterThan(HOUR_MS / 2);
});

test('500 certificates of one day become due spread over time, each once, and none is lost', async () => {
  await database.query('DELETE FROM certificates');
  const day = 24 * HOUR_MS;
  const now = new Date();
  const lifetime = { notBefore: now, notAfter: new Date(now.getTime() + 45 * day) };
  const times = Array.from({ length: 500 }, (_, n) => firstRenewalTime(lifetime, undefined, n / 499));
  await database.query(
    `WITH many AS (SELECT n, t, 'domain_many' || n AS id, 'many' || n || '.example.com' AS hostname
                     FROM unnest($2::timestamptz[]) WITH ORDINALITY AS u (t, n)),
          d AS (INSERT INTO domains (id, account_id, hostname, status, ssl_status, cname_target)
                SELECT id, $1, hostname, 'active', 'active', hostname FROM many RETURNING id)
     INSERT INTO certificates (account_id, hostname, domain_id, chain, not_after, renew_at, due_at)
     SELECT $1, hostname, id, 'PEM', $3, t, t FROM many`,
    [account, times, lifetime.notAfter],
  );
  const seen = new Set<string>();
  const perHour: number[] = [];
  const passHours = (hours: number) =>
    database.query("UPDATE certificates SET due_at = due_at - $1 * interval '1 hour'", [hours]);
  await passHours(29 * 24);
  for (let hour = 0; hour <= 48; hour++) {
    const due = await listDueRenewals(database, 0, 1000);
    perHour.push(due.length);
    for (const { domainId } of due) {
      expect(seen.has(domainId)).toBe(false);
      seen.add(domainId);
    }
    await database.query('UPDATE certificates SET due_at = NULL WHERE due_at <= now()');
    await passHours(1);
  }
  expect(seen.size).toBe(500);
  // No renewal is due before two thirds of the lifetime, less a percent, and no hour has a crowd.
  expect(perHour.findIndex((count) => count > 0)).toBeGreaterThan(0);
  expect(Math.max(...perHour)).toBeLessThan(35);
});
