/** Tenants of a platform, many in one call: each whole or not at all, and the same after every repetition. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findAccountByRef, lockAccount } from '../../src/features/accounts/account-store.ts';
import type { Operator } from '../../src/features/accounts/actor.ts';
import { findCaller } from '../../src/features/accounts/key-store.ts';
import { readPlans } from '../../src/features/accounts/plans.ts';
import { createDiagnose } from '../../src/features/domains/diagnose-domain.ts';
import type { Domain } from '../../src/features/domains/domain.ts';
import { insertDomainIn } from '../../src/features/domains/domain-store.ts';
import { putTenants, type Tenant, type WantedTenant } from '../../src/features/domains/put-tenants.ts';
import { openChange } from '../../src/features/sites/change-site.ts';
import { Turns } from '../../src/platform/concurrency/turns.ts';
import { createLookUp } from '../../src/platform/dns/look-up.ts';
import { newId } from '../../src/platform/ids.ts';
import { NotYetVisible } from '../../src/platform/not-yet-visible.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { Refusal } from '../../src/platform/refusal.ts';
import { CNAME_TARGETS } from '../support/accounts.ts';
import { auditEventsOf } from '../support/people.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { untilStatementWaits } from '../support/until-statement-waits.ts';

const { database } = await createTestDatabase();
const TOKEN: Operator = { token: 'platform', address: '192.0.2.7' };
const PLANS = readPlans('{"free":{"domains":2}}');

const written: string[] = [];
const begun: string[] = [];
const options = {
  ...{ database, newId, cnameTargets: CNAME_TARGETS, hostnameRules: { reserved: [], trialNames: [] } },
  // No test asks this DNS server.
  diagnose: createDiagnose(createLookUp(['127.0.0.1:9'])),
  diagnosisTurns: new Turns(1),
  openChange: () => openChange({ database, writeSite: async (hostname) => void written.push(hostname) }),
  onVerified: async (_transaction: unknown, ...domains: readonly Domain[]) =>
    void begun.push(...domains.map(({ id }) => id)),
};

const put = (tenants: readonly WantedTenant[]) => putTenants(options, TOKEN, tenants, PLANS);

let names = 0;

function tenant(more: Partial<WantedTenant> = {}): WantedTenant {
  const name = `tenant-${++names}`;
  return {
    ref: name,
    account: { name, plan: 'free' },
    domains: [{ hostname: `${name}.example.com`, website: undefined, isVerified: true }],
    keys: [{ name: 'CI', expiresAt: null, scope: null, hostnames: [] }],
    ...more,
  };
}

const domain = (hostname: string, isVerified = true) => ({ hostname, website: undefined, isVerified });

function done(outcome: Tenant | Refusal | undefined): Tenant {
  if (outcome === undefined || outcome instanceof Refusal) throw new Error('refused', { cause: outcome });
  return outcome;
}

test('a tenant has an account, a key that opens it, and a domain that is served', async () => {
  const wanted = tenant();
  const { account, domains, keys } = done((await put([wanted]))[0]);
  expect(await findAccountByRef(database, wanted.ref)).toEqual(account);
  expect(domains).toMatchObject([{ accountId: account.id, status: 'verified', sslStatus: 'provisioning' }]);
  expect(await findCaller(database, keys[0]!.key!)).toMatchObject({ accountId: account.id, scope: null });
  expect(written).toContain(wanted.domains[0]!.hostname);
  expect(begun).toContain(domains[0]!.id);
  const events = await auditEventsOf(database, account.id);
  expect(events.map(({ action, actorName }) => [action, actorName])).toEqual([
    ['account.created', 'operator token platform'],
    ['domain.added', 'operator token platform'],
    ['domain.verified_by_force', 'operator token platform'],
    ['key.created', 'operator token platform'],
  ]);
});

test('again, it changes nothing, and shows no key', async () => {
  const wanted = tenant();
  const first = done((await put([wanted]))[0]);
  const again = done((await put([wanted]))[0]);
  const { id, name } = first.keys[0]!;
  expect(again).toEqual({ ...first, keys: [{ id, name, key: null }] });
  expect(await auditEventsOf(database, first.account.id)).toHaveLength(4);
});

test('what changed is changed: the plan, another domain, a pending one that is verified, a new key', async () => {
  const wanted = tenant();
  const [own] = wanted.domains;
  const pending = { ...wanted, domains: [domain(own!.hostname, false)] };
  const before = done((await put([pending]))[0]);
  expect(before.domains).toMatchObject([{ status: 'pending_verification', verifiedAt: null }]);
  const other = domain(`other.${own!.hostname}`, false);
  const key = { name: 'Second', expiresAt: null, scope: null, hostnames: [own!.hostname] };
  const account = { ...wanted.account, plan: 'pro' } as const;
  const after = done((await put([{ ...wanted, account, domains: [own!, other], keys: [key] }]))[0]);
  const [verified, added] = after.domains;
  expect(verified).toMatchObject({ id: before.domains[0]!.id, status: 'verified' });
  expect(added).toMatchObject({ status: 'pending_verification' });
  expect(await findCaller(database, after.keys[0]!.key!)).toMatchObject({
    ...{ accountId: before.account.id, plan: 'pro', scope: { domainIds: [verified!.id], actions: null } },
  });
});

test('a domain that its records verified is not checked any more', async () => {
  const wanted = tenant();
  const { account, domains } = done((await put([wanted]))[0]);
  const id = domains[0]!.id;
  await database.query('UPDATE domains SET check_at = now(), wrong_checks = 2 WHERE id = $1', [id]);
  await put([{ ...wanted, domains: [domain(domains[0]!.hostname, false)] }]);
  const read = async () =>
    (await database.query('SELECT check_at, wrong_checks FROM domains WHERE id = $1', [id])).rows[0];
  expect((await read()).check_at).not.toBeNull();
  await put([wanted]);
  expect(await read()).toEqual({ check_at: null, wrong_checks: 0 });
  const events = await auditEventsOf(database, account.id);
  expect(events.filter(({ action }) => action === 'domain.verified_by_force')).toHaveLength(2);
});

test('a tenant that cannot be whole leaves nothing, and the others are done', async () => {
  const [holder, first, last] = [tenant(), tenant(), tenant()];
  await put([holder]);
  const refused = [
    tenant({ domains: [domain('fine.example.com'), domain(holder.domains[0]!.hostname)] }),
    tenant({ domains: [domain('192.0.2.1')] }),
    tenant({ domains: ['a', 'b', 'c'].map((label) => domain(`${label}.over.example.com`)) }),
    tenant({ keys: [{ name: 'CI', expiresAt: null, scope: null, hostnames: ['nobodys.example.com'] }] }),
  ];
  const outcomes = await put([first, ...refused, last]);
  expect(outcomes.map((one) => (one instanceof Refusal ? one.code : 'done'))).toEqual([
    ...['done', 'CONFLICT', 'VALIDATION_ERROR', 'VALIDATION_ERROR', 'VALIDATION_ERROR', 'done'],
  ]);
  for (const { ref } of refused) expect(await findAccountByRef(database, ref)).toBeUndefined();
  const { rows } = await database.query(
    "SELECT FROM domains WHERE hostname IN ('fine.example.com', 'a.over.example.com')",
  );
  expect(rows).toEqual([]);
  expect(written).not.toContain('fine.example.com');
});

test('keys that were made are shown, though the holder of a hostname cannot be checked', async () => {
  const holder = tenant();
  await put([holder]);
  const fails = async () => {
    throw new Error('the database is away');
  };
  const away: typeof options = { ...options, database: { ...database, query: fails } as never };
  const outcomes = await putTenants(away, TOKEN, [tenant(), tenant({ domains: holder.domains })], PLANS);
  expect(await findCaller(database, done(outcomes[0]).keys[0]!.key!)).toBeDefined();
  expect(outcomes[1]).toMatchObject({ code: 'CONFLICT' });
});

test('the holder of a wanted hostname is due for a check of its records', async () => {
  const holder = tenant();
  const [held] = done((await put([holder]))[0]).domains;
  await database.query("UPDATE domains SET check_at = now() + interval '1 day' WHERE id = $1", [held!.id]);
  await put([tenant({ domains: [domain(held!.hostname)] })]);
  const { rows } = await database.query('SELECT check_at <= now() AS due FROM domains WHERE id = $1', [
    held!.id,
  ]);
  expect(rows).toEqual([{ due: true }]);
});

test('of calls at once, each tenant is made once, and one of them shows the key', async () => {
  const wanted = Array.from({ length: 5 }, () => tenant());
  const calls = await Promise.all(
    Array.from({ length: 4 }, (_, n) => put(n % 2 === 0 ? wanted : wanted.toReversed())),
  );
  for (const { ref } of wanted) {
    const outcomes = calls.flat().filter((one) => done(one).account.ref === ref) as Tenant[];
    expect(new Set(outcomes.map(({ account }) => account.id)).size).toBe(1);
    expect(new Set(outcomes.map(({ domains }) => domains[0]!.id)).size).toBe(1);
    expect(outcomes.filter(({ keys }) => keys[0]!.key !== null)).toHaveLength(1);
  }
});

test('calls that give the same hostnames to other accounts in another order do not fail together', async () => {
  const [first, second] = [tenant(), tenant()];
  const holder = done((await put([tenant({ domains: [] })]))[0]).account.id;
  const [x, y] = [first, second].map(({ domains }) => domains[0]!.hostname) as [string, string];
  const { outcomes } = await inTransaction(database, async (transaction) => {
    const give = (hostname: string) =>
      insertDomainIn(
        transaction,
        { id: newId('domain'), accountId: holder, hostname, cnameTarget: `${hostname}.cname.example.net` },
        2,
        true,
      );
    await give(y);
    const called = put([first, second]);
    await untilStatementWaits(database, 'INSERT INTO domains');
    await give(x);
    return { outcomes: called };
  });
  expect(await outcomes).toMatchObject([{ code: 'CONFLICT' }, { code: 'CONFLICT' }]);
});

test('a call waits for an account before it takes a hostname for which the holder of the account may wait', async () => {
  const [first, second] = [tenant(), tenant({ domains: [] })];
  const { id } = done((await put([second]))[0]).account;
  const { hostname } = first.domains[0]!;
  const called = await inTransaction(database, async (transaction) => {
    // In a deadlock, Postgres ends whoever looks for it first.
    await transaction.query("SET LOCAL deadlock_timeout = '1ms'");
    await lockAccount(transaction, id);
    const outcomes = put([first, second]);
    await untilStatementWaits(database, 'FROM accounts');
    const own = {
      id: newId('domain'),
      accountId: id,
      hostname,
      cnameTarget: `${hostname}.cname.example.net`,
    };
    await insertDomainIn(transaction, own, 2, true);
    return { outcomes };
  });
  expect(await called.outcomes).toMatchObject([{ code: 'CONFLICT' }, { account: { id } }]);
});

test('a store that cannot be written costs no key: the sites are written later', async () => {
  const writeSite = () => Promise.reject(new NotYetVisible('the store is away'));
  const away = { ...options, openChange: () => openChange({ database, writeSite }) };
  const wanted = tenant();
  const { keys, account } = done((await putTenants(away, TOKEN, [wanted], PLANS))[0]);
  expect(await findCaller(database, keys[0]!.key!)).toMatchObject({ accountId: account.id });
  const { rows } = await database.query('SELECT hostname FROM site_changes WHERE hostname = $1', [
    wanted.domains[0]!.hostname,
  ]);
  expect(rows).toHaveLength(1);
});

test('whatever is asked in whatever order, a hostname has one holder, and nobody is over a limit', async () => {
  let world = 0;
  const calls = fc.array(
    fc.uniqueArray(
      fc.record({
        ref: fc.constantFrom('a', 'b', 'c'),
        domains: fc.uniqueArray(
          fc.record({ label: fc.constantFrom('x', 'y', 'Z'), isVerified: fc.boolean() }),
          { maxLength: 3, selector: ({ label }) => label },
        ),
      }),
      { minLength: 1, maxLength: 3, selector: ({ ref }) => ref },
    ),
    { minLength: 1, maxLength: 4 },
  );
  await fc.assert(
    fc.asyncProperty(calls, async (given) => {
      const name = `w${++world}`;
      /** The hostnames that each tenant must have, by the rules alone. */
      const owned = new Map<string, Map<string, boolean>>();
      const holderOf = (label: string) =>
        ['a', 'b', 'c'].find((ref) => owned.get(ref)?.get(label.toLowerCase()) === true);
      for (const call of given) {
        const wanted = call.map(({ ref, domains }) => ({
          ...{ ref: `${name}-${ref}`, account: { name, plan: 'free' as const }, keys: [] },
          domains: domains.map(({ label, isVerified }) => domain(`${label}.${name}.example.com`, isVerified)),
        }));
        const heldBefore = new Map(['x', 'y', 'z'].map((label) => [label, holderOf(label)]));
        const outcomes = await put(wanted);
        const order = call.map((one, i) => ({ ...one, outcome: outcomes[i]! }));
        for (const { ref, domains, outcome } of order.toSorted((a, b) => (a.ref < b.ref ? -1 : 1))) {
          const after = new Map(owned.get(ref));
          let isRefused = false;
          for (const { label, isVerified } of domains) {
            const known = after.get(label.toLowerCase());
            if (known !== undefined && (known || !isVerified)) continue;
            const before = heldBefore.get(label.toLowerCase());
            const now = holderOf(label);
            const isTaken = (before !== undefined && before !== ref) || (isVerified && (now ?? ref) !== ref);
            if (isTaken || (known === undefined && after.size >= 2)) isRefused = true;
            after.set(label.toLowerCase(), isVerified);
          }
          expect({ ref, isRefused: outcome instanceof Refusal }).toEqual({ ref, isRefused });
          if (!isRefused) owned.set(ref, after);
        }
      }
      const { rows } = await database.query<{ ref: string; label: string; isVerified: boolean }>(
        `SELECT split_part(external_ref, '-', 2) AS ref, split_part(hostname, '.', 1) AS label,
                status = 'verified' AS "isVerified"
           FROM domains d JOIN accounts a ON a.id = d.account_id WHERE a.external_ref LIKE $1 ORDER BY 1, 2`,
        [`${name}-%`],
      );
      const expected = [...owned].flatMap(([ref, domains]) =>
        [...domains].map(([label, isVerified]) => ({ ref, label, isVerified })),
      );
      expect(rows).toEqual(expected.toSorted((a, b) => (a.ref + a.label < b.ref + b.label ? -1 : 1)));
    }),
    { numRuns: PROPERTY_RUNS },
  );
});
