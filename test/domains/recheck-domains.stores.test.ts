import { afterEach, expect, test, vi } from 'vitest';
import { markActive, markCertificateFailed } from '../../src/features/domains/certificate-state-store.ts';
import { verifyByForce } from '../../src/features/domains/change-any-domain.ts';
import { findOverdueChecks, setCheckPace, takeDueChecks } from '../../src/features/domains/check-store.ts';
import { deleteDomain } from '../../src/features/domains/delete-domain.ts';
import { createDiagnose } from '../../src/features/domains/diagnose-domain.ts';
import type { Verdict } from '../../src/features/domains/diagnosis.ts';
import type { Domain } from '../../src/features/domains/domain.ts';
import { verifyUnchecked } from '../../src/features/domains/verify-domain.ts';
import { createLookUp } from '../../src/platform/dns/look-up.ts';
import { inTransaction, type Transaction } from '../../src/platform/postgres/database.ts';
import { addAccount, addDomain, addVerifiedDomain } from '../support/accounts.ts';
import { auditEventsOf } from '../support/people.ts';
import { plainEntries } from '../uploads/batches.ts';
import { checkAll, createLifeFixture } from './life-fixture.ts';

const fixture = await createLifeFixture();
const { database, dns, find, life, log, pass, point, site, sweep, unserved, upload, verify, watch } = fixture;
const account = await addAccount(database, 'enterprise');

const HOUR = 60;
const DAY = 24 * HOUR;

afterEach(() => vi.useRealTimers());

/** A domain that was verified by its record, with a sitemap. */
async function servedDomain(): Promise<Domain> {
  const domain = await addDomain(database, account);
  point(domain, domain.cnameTarget);
  const verified = (await verify(domain)).domain;
  expect(verified.status).toBe('verified');
  await upload(account, { domain: domain.hostname, urls: plainEntries(2) });
  return verified;
}

/** Sweeps when the domain's next check is due. */
async function nextCheck(domain: Domain): Promise<void> {
  await pass(domain, Math.max(0, (await watch(domain)).next!) + 0.1);
  await sweep();
}

async function moveAway(domain: Domain): Promise<void> {
  point(domain, 'elsewhere.example.net');
  for (let n = 0; n < 3; n++) await nextCheck(domain);
  expect((await watch(domain)).moved).not.toBeNull();
}

/** Stays away for 8 days, with a check on each day. */
async function stayAway(domain: Domain): Promise<void> {
  for (let day = 0; day < 6; day++) {
    await pass(domain, DAY);
    await sweep();
  }
  await pass(domain, 2 * DAY);
}

test('a served domain is checked about a day after its verification, and about daily from then on', async () => {
  const domain = await servedDomain();
  const isAboutADay = (minutes: number | null) => minutes! > 17 * HOUR && minutes! < 31 * HOUR;
  expect((await watch(domain)).next).toSatisfy(isAboutADay);
  dns.asked.length = 0;
  await sweep();
  expect(dns.asked).not.toContain(domain.hostname);
  await nextCheck(domain);
  expect(dns.asked).toContain(domain.hostname);
  expect((await watch(domain)).next).toSatisfy(isAboutADay);
});

test('a domain that moved away is served for 7 days, then fails, and can be verified again', async () => {
  const domain = await servedDomain();
  await moveAway(domain);
  for (let day = 0; day < 7; day++) {
    expect((await find(domain)).status).toBe('verified');
    expect(await site(domain.hostname)).toBeDefined();
    await nextCheck(domain);
    expect((await watch(domain)).next).toSatisfy((minutes: number) => minutes <= 75);
    await pass(domain, DAY - 2 * HOUR);
  }
  await pass(domain, DAY);
  await nextCheck(domain);
  const failed = await find(domain);
  expect(failed).toMatchObject({ status: 'failed', sslStatus: 'failed' });
  expect(failed.failure).toContain('elsewhere.example.net');
  expect(failed.failure).toContain(domain.cnameTarget);
  expect(await site(domain.hostname)).toBeUndefined();
  expect(unserved.filter((id) => id === domain.id)).toHaveLength(1);
  expect((await watch(domain)).next).toBeNull();

  expect((await verify(failed)).domain.status).toBe('failed');
  point(domain, domain.cnameTarget);
  const { domain: again } = await verify(failed);
  expect(again).toMatchObject({ status: 'verified', sslStatus: 'provisioning', failure: null });
  expect(again.verifiedAt!.getTime()).toBeGreaterThan(domain.verifiedAt!.getTime());
  expect(await watch(domain)).toMatchObject({ wrong: 0, moved: null, next: expect.any(Number) });
  expect((await site(domain.hostname))?.sitemaps).toHaveLength(1);
});

test('a right answer sets all back, also on the last day', async () => {
  const domain = await servedDomain();
  await moveAway(domain);
  await pass(domain, 7 * DAY - 1);
  point(domain, domain.cnameTarget);
  await nextCheck(domain);
  expect(await watch(domain)).toMatchObject({ wrong: 0, moved: null });
  point(domain, 'elsewhere.example.net');
  await nextCheck(domain);
  expect(await watch(domain)).toMatchObject({ wrong: 1, moved: null });
});

test.each(['server failure', 'silence'] as const)('a resolver with %s never counts', async (answer) => {
  const [steady, moved] = [await servedDomain(), await servedDomain()];
  await moveAway(moved);
  for (const { hostname } of [steady, moved]) dns.answers.set(hostname, answer);
  for (const domain of [steady, moved]) await pass(domain, 30 * DAY);
  await sweep();
  expect(await watch(steady)).toMatchObject({ wrong: 0, moved: null });
  for (const domain of [steady, moved]) {
    expect((await find(domain)).status).toBe('verified');
    expect(await site(domain.hostname)).toBeDefined();
    expect((await watch(domain)).next).toSatisfy((minutes: number) => minutes > 0 && minutes <= 90);
  }
});

test('an unreachable resolver fails nobody', async () => {
  const domain = await servedDomain();
  await moveAway(domain);
  await pass(domain, 30 * DAY);
  await sweep({ diagnose: createDiagnose(createLookUp(['127.0.0.1:1'])) });
  expect((await find(domain)).status).toBe('verified');
});

test('a name below localhost is never checked again', async () => {
  const domain = await addDomain(database, account);
  await database.query("UPDATE domains SET hostname = 'again.localhost' WHERE id = $1", [domain.id]);
  const { domain: verified } = await verify(await find(domain));
  expect(verified.status).toBe('verified');
  expect((await watch(verified)).next).toBeNull();
});

test('pending and failed domains are not checked', async () => {
  const domain = await addDomain(database, account);
  await database.query('UPDATE domains SET check_at = now() WHERE id = $1', [domain.id]);
  dns.asked.length = 0;
  await sweep();
  expect(dns.asked).not.toContain(domain.hostname);
});

test.each(['verified by its records', 'verified by force, after a check', 'verified by force'] as const)(
  'a domain that gets its certificate at last is checked again only if it was before (%s)',
  async (how) => {
    const added = await addDomain(database, account);
    const isForced = how !== 'verified by its records';
    if (!isForced) point(added, added.cnameTarget);
    if (how !== 'verified by force') await verify(added);
    if (isForced) await verifyUnchecked(life, added, { isChecked: false });
    const change = (work: (transaction: Transaction) => Promise<unknown>) => inTransaction(database, work);
    await change((transaction) => markCertificateFailed(transaction, added.id, 'The authority says no.'));
    await sweep();
    expect((await find(added)).status).toBe('failed');
    await change((transaction) => markActive(transaction, added.id));
    dns.asked.length = 0;
    await sweep();
    expect(dns.asked.includes(added.hostname)).toBe(!isForced);
    expect((await watch(added)).next === null).toBe(isForced);
  },
);

test('a domain that an operator verifies by force is never checked again, though its records verified it before', async () => {
  const domain = await servedDomain();
  await moveAway(domain);
  const force = () => verifyByForce(life, { token: 'platform', address: '192.0.2.7' }, domain);
  const id = domain.id;
  // The check that is under way ends later than the answer to the operator.
  await database.query('UPDATE domains SET check_at = now() WHERE id = $1', [id]);
  const diagnose: typeof life.diagnose = async (...asked) => {
    const diagnosis = await life.diagnose(...asked);
    expect(await force()).toMatchObject({ verified: { id }, hasChanged: true });
    return diagnosis;
  };
  await sweep({ diagnose });
  expect(await watch(domain)).toEqual({ next: null, wrong: 0, moved: null });
  expect(await force()).toMatchObject({ hasChanged: false });
  const events = await auditEventsOf(database, account);
  expect(events.filter(({ details }) => details?.domainId === id)).toMatchObject([
    { action: 'domain.verified_by_force' },
  ]);
  await database.query(`UPDATE domains SET check_at = NULL WHERE id <> $1`, [id]);
  dns.asked.length = 0;
  await pass(domain, 30 * DAY);
  await sweep();
  expect(dns.asked).not.toContain(domain.hostname);
  expect((await find(domain)).status).toBe('verified');
});

test('many processes that sweep at once check each domain once', async () => {
  const domains = await Promise.all(Array.from({ length: 60 }, () => addVerifiedDomain(database, account)));
  for (const domain of domains) point(domain, 'elsewhere.example.net');
  await database.query('UPDATE domains SET check_at = now() WHERE id = ANY($1)', [
    domains.map(({ id }) => id),
  ]);
  const verdicts: Verdict[] = [];
  const options = { ...life, checked: (verdict: Verdict) => void verdicts.push(verdict) };
  await Promise.all(Array.from({ length: 5 }, () => checkAll(options)));
  expect(verdicts).toHaveLength(60);
  const counted = await Promise.all(domains.map(async (domain) => (await watch(domain)).wrong));
  // A resolver on a busy machine may say nothing for 5 s, and then the verdict is 'unknown'. Each other check counts for its domain once.
  expect(counted.filter((wrong) => wrong === 1)).toHaveLength(
    verdicts.filter((one) => one === 'wrong').length,
  );
  expect(counted.filter((wrong) => wrong > 1)).toEqual([]);
});

test('doubted domains are checked first, as the pace of all processes allows', async () => {
  const domains = await Promise.all(Array.from({ length: 50 }, () => addVerifiedDomain(database, account)));
  const ids = domains.map(({ id }) => id);
  await database.query("UPDATE domains SET check_at = now() - interval '7 days' WHERE id = ANY($1)", [ids]);
  const doubted = ids.slice(40);
  await database.query(
    "UPDATE domains SET wrong_checks = 1, check_at = now() - interval '1 hour' WHERE id = ANY($1)",
    [doubted],
  );
  const setPace = (perSecond: number, tokens: number) =>
    database.query('UPDATE paces SET per_second = $1, tokens = $2, tokens_at = now()', [perSecond, tokens]);
  const take = async () => (await takeDueChecks(database, 20)).map(({ id }) => id);
  await setPace(0.5, 25);
  expect(await findOverdueChecks(database)).toMatchObject({ doubted: expect.closeTo(3600, -1) });
  // All doubted ones, and of the others as many as there is room for.
  const first = await take();
  expect(first.filter((id) => doubted.includes(id)).sort()).toEqual(doubted.toSorted());
  expect(first.length).toBe(20);
  // And what comes while this test runs.
  const rest = (await take()).length;
  expect(rest).toBeGreaterThanOrEqual(5);
  expect(rest).toBeLessThan(15);
  // Unused tokens are for a minute at most.
  await database.query("UPDATE paces SET per_second = 0.1, tokens = 0, tokens_at = now() - interval '1 day'");
  expect((await take()).length).toBe(6);
  await setCheckPace(database);
  const { rows } = await database.query('SELECT per_second FROM paces');
  expect(rows).toEqual([{ per_second: 1 }]);
  await setPace(1e6, 1e6);
  await database.query('DELETE FROM domains WHERE id = ANY($1)', [ids]);
});

test('a check whose process died is due again 10 minutes later', async () => {
  const domain = await servedDomain();
  await pass(domain, 2 * DAY);
  expect((await takeDueChecks(database, 1000)).map(({ id }) => id)).toContain(domain.id);
  expect((await takeDueChecks(database, 1000)).map(({ id }) => id)).not.toContain(domain.id);
  await pass(domain, 11);
  point(domain, 'elsewhere.example.net');
  await sweep();
  expect((await watch(domain)).wrong).toBe(1);
});

test('a process that dies before the domain fails leaves it to the next check', async () => {
  const domain = await servedDomain();
  await moveAway(domain);
  await stayAway(domain);
  await sweep({ openChange: () => Promise.reject(new Error('killed')) });
  expect((await find(domain)).status).toBe('verified');
  await nextCheck(domain);
  expect((await find(domain)).status).toBe('failed');
  expect(log.lines).toContainEqual(expect.objectContaining({ message: 'the check of a domain failed' }));
});

test('a right answer that comes just before the domain fails saves it', async () => {
  const domain = await servedDomain();
  await moveAway(domain);
  await stayAway(domain);
  await sweep({
    openChange: async () => {
      await database.query('UPDATE domains SET moved_at = NULL WHERE id = $1', [domain.id]);
      return life.openChange();
    },
  });
  expect((await find(domain)).status).toBe('verified');
  expect(unserved).not.toContain(domain.id);
});

test('a domain that is deleted during its check stays deleted, and the others are checked', async () => {
  const [gone, other] = [await servedDomain(), await servedDomain()];
  for (const domain of [gone, other]) await pass(domain, 2 * DAY);
  const before = log.lines.length;
  await sweep({
    diagnose: async (hostname, target) => {
      if (hostname === gone.hostname) await deleteDomain(life, gone);
      return life.diagnose(hostname, target);
    },
  });
  expect(await find(gone)).toBeUndefined();
  expect((await watch(other)).next).toBeGreaterThan(17 * HOUR);
  expect(log.lines.slice(before)).toEqual([]);
});

test.each([DAY, -DAY])('the clock of a process may be wrong by %d minutes', async (minutes) => {
  const domain = await servedDomain();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000 });
  await pass(domain, (await watch(domain)).next! - 1);
  dns.asked.length = 0;
  await sweep();
  expect(dns.asked).not.toContain(domain.hostname);
  await moveAway(domain);
  await stayAway(domain);
  expect((await find(domain)).status).toBe('verified');
  await nextCheck(domain);
  expect((await find(domain)).status).toBe('failed');
});
