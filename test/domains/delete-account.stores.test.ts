import { expect, test, vi } from 'vitest';
import { findAccount } from '../../src/features/accounts/account-store.ts';
import { listKeys } from '../../src/features/accounts/key-store.ts';
import { deleteAccount } from '../../src/features/domains/delete-account.ts';
import { listDomainSummaries } from '../../src/features/domains/domain-store.ts';
import { openChange } from '../../src/features/sites/change-site.ts';
import { endGenerations } from '../../src/features/sites/garbage-store.ts';
import { siteKey, uploadPrefix } from '../../src/features/sites/site.ts';
import { newId } from '../../src/platform/ids.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { createKey } from '../support/create-key.ts';
import { plainEntries } from '../uploads/batches.ts';
import { createUploadFixture, DAY_MS } from '../uploads/upload-fixture.ts';

const fixture = await createUploadFixture();
const { database, storage, upload, options } = fixture;
const deletion = {
  database,
  openChange: options.openChange,
  discardUploads: (transaction: Parameters<typeof endGenerations>[0], id: string) =>
    endGenerations(transaction, { domainId: id }, DAY_MS),
  onUnserved: async () => {},
};

async function accountWithDomains(count: number) {
  const id = await addAccount(database);
  await createKey(database, newId, id, 'test');
  const domains = [];
  for (let n = 0; n < count; n++) domains.push(await addVerifiedDomain(database, id));
  return { id, domains };
}

test('an account is deleted with its keys, its domains and their sites, and its objects become garbage', async () => {
  const { id, domains } = await accountWithDomains(2);
  const { hostname } = domains[0]!;
  const { uploadId } = await upload(id, { domain: hostname, urls: plainEntries(1) });
  const { id: other, domains: others } = await accountWithDomains(1);
  const deleted = await deleteAccount(deletion, id);
  expect(deleted?.toSorted()).toEqual(domains.map((domain) => domain.hostname).sort());
  expect(await findAccount(database, id)).toBeUndefined();
  expect(await listKeys(database, id, 10)).toEqual([]);
  expect(await storage.get(siteKey(hostname))).toBeUndefined();
  expect(await fixture.garbage()).toContain(uploadPrefix(uploadId));
  expect(await listDomainSummaries(database, other, 10, undefined)).toMatchObject([{ id: others[0]!.id }]);
  const { rowCount } = await database.query('SELECT FROM account_bytes WHERE account_id = $1', [id]);
  expect(rowCount).toBe(0);
  expect(await deleteAccount(deletion, id)).toBeUndefined();
});

test('an interrupted deletion leaves a suspended account, and the next call finishes it', async () => {
  const { id, domains } = await accountWithDomains(3);
  let writes = 0;
  const writeSite = async (hostname: string) => {
    if (++writes === 2) throw new Error('killed');
    await fixture.writeSite(hostname);
  };
  const breaking = { ...deletion, openChange: () => openChange({ database, writeSite }) };
  await expect(deleteAccount(breaking, id)).rejects.toThrow('killed');
  expect(await findAccount(database, id)).toMatchObject({ suspendedAt: expect.any(Date) });
  // Two rows are deleted. The job removes the site of the second one.
  expect(await deleteAccount(deletion, id)).toEqual([domains[0]!.hostname]);
  expect(await findAccount(database, id)).toBeUndefined();
});

test('what an account has collected goes before its row, so that no statement takes too long', async () => {
  const { id } = await accountWithDomains(1);
  await database.query(
    `INSERT INTO audit_events (account_id, action, subject, actor_name)
     SELECT $1, 'key.created', '', '' FROM generate_series(1, 10001)`,
    [id],
  );
  await database.query(
    `INSERT INTO webhook_events (id, account_id, type, data) SELECT 'event_' || n, $1, 'webhook.test', '{}' FROM generate_series(1, 1001) AS n`,
    [id],
  );
  await database.query(
    `INSERT INTO idempotency_claims (account_id, request, holder, expires_at) VALUES ($1, 'request', '', now() + interval '1 day')`,
    [id],
  );
  await database.query(`
    CREATE FUNCTION refuse_history() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF EXISTS (SELECT FROM audit_events WHERE account_id = OLD.id) OR EXISTS (SELECT FROM webhook_events WHERE account_id = OLD.id)
        THEN RAISE 'the account has history'; END IF;
        RETURN OLD;
      END $$;
    CREATE TRIGGER refuse_history BEFORE DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION refuse_history()`);
  try {
    await deleteAccount(deletion, id);
  } finally {
    await database.query('DROP FUNCTION refuse_history CASCADE');
  }
  expect(await findAccount(database, id)).toBeUndefined();
});

test('domains are listed few at a time, because the list reads all of their sitemaps', async () => {
  const { id, domains } = await accountWithDomains(12);
  const query = vi.spyOn(database, 'query');
  expect(await deleteAccount(deletion, id)).toHaveLength(domains.length);
  const statements = query.mock.calls.map(
    ([statement]) => statement as { name?: string; values?: unknown[] },
  );
  const limits = statements.filter(({ name }) => name === 'list-domains').map(({ values }) => values![1]);
  expect(limits).toEqual([10, 10]);
  query.mockRestore();
});

test('a domain that is added meanwhile is deleted too', async () => {
  const { id } = await accountWithDomains(1);
  let late: string | undefined;
  const writeSite = async (hostname: string) => {
    await fixture.writeSite(hostname);
    late ??= (await addVerifiedDomain(database, id)).hostname;
  };
  const adding = { ...deletion, openChange: () => openChange({ database, writeSite }) };
  expect(await deleteAccount(adding, id)).toContain(late);
  expect(await findAccount(database, id)).toBeUndefined();
});
