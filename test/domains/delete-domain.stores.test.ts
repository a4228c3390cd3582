import { expect, test } from 'vitest';
import { type DeleteDomainOptions, deleteDomain } from '../../src/features/domains/delete-domain.ts';
import { findDomain } from '../../src/features/domains/domain-store.ts';
import { collectGarbage } from '../../src/features/sites/collect-garbage.ts';
import { endGenerations } from '../../src/features/sites/garbage-store.ts';
import { siteKey, uploadPrefix } from '../../src/features/sites/site.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { plainEntries } from '../uploads/batches.ts';
import { createUploadFixture, DAY_MS } from '../uploads/upload-fixture.ts';

const fixture = await createUploadFixture();
const { database, storage, upload } = fixture;
const unserved: string[] = [];
const deletion: DeleteDomainOptions = {
  openChange: fixture.options.openChange,
  discardUploads: (transaction, id) => endGenerations(transaction, { domainId: id }, DAY_MS),
  onUnserved: async (_transaction, domain) => void unserved.push(domain.id),
};
const account = await addAccount(database);

test('a deleted domain disappears with its rows and its site, and its objects become garbage', async () => {
  const domain = await addVerifiedDomain(database, account);
  const base = { domain: domain.hostname };
  const uploads = [
    await upload(account, { ...base, urls: plainEntries(1) }),
    await upload(account, { ...base, urls: plainEntries(2) }),
    await upload(account, { ...base, sitemapName: 'blog', urls: plainEntries(3) }),
  ];
  await deleteDomain(deletion, domain);
  expect(await findDomain(database, domain.id)).toBeUndefined();
  expect(await storage.get(siteKey(domain.hostname))).toBeUndefined();
  const { rows } = await database.query('SELECT FROM sitemaps WHERE domain_id = $1', [domain.id]);
  expect(rows).toEqual([]);
  const garbage = await fixture.garbage();
  expect(garbage).toEqual(expect.arrayContaining(uploads.map(({ uploadId }) => uploadPrefix(uploadId))));
  const left = await fixture.keys(`sites/${domain.hostname}/`);
  expect(left.filter((key) => !garbage.some((prefix) => key.startsWith(prefix)))).toEqual([]);
});

test('the rows of uploads and files stay until their objects are collected: a deletion that took minutes for them refused uploads meanwhile', async () => {
  const domain = await addVerifiedDomain(database, account);
  for (const urls of [1, 2, 3]) await upload(account, { domain: domain.hostname, urls: plainEntries(urls) });
  const count = async () => {
    const { rows } = await database.query(
      `SELECT (SELECT count(*) FROM uploads WHERE domain_id = $1) AS uploads,
              (SELECT count(*) FROM sitemap_files WHERE domain_id = $1) AS files`,
      [domain.id],
    );
    return rows[0];
  };
  await deleteDomain(deletion, domain);
  expect(await count()).toEqual({ uploads: 3, files: 3 });
  await database.query('UPDATE garbage SET collect_after = now() WHERE account_id = $1', [account]);
  await collectGarbage(fixture.collecting);
  expect(await count()).toEqual({ uploads: 0, files: 0 });
});

test('a domain whose deletion takes long is deleted', async () => {
  const domain = await addVerifiedDomain(database, account);
  await upload(account, { domain: domain.hostname, urls: plainEntries(1) });
  // A domain with many files, sitemaps and counts takes longer than an ordinary statement may.
  await database.query(
    `CREATE FUNCTION delay_deletion() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.5); RETURN OLD; END $$;
     CREATE TRIGGER delay_deletion BEFORE DELETE ON sitemaps FOR EACH ROW EXECUTE FUNCTION delay_deletion();
     CREATE FUNCTION delay_garbage() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.5); RETURN NULL; END $$;
     CREATE TRIGGER delay_garbage AFTER INSERT ON garbage FOR EACH ROW EXECUTE FUNCTION delay_garbage();`,
  );
  const openChange = async () => {
    const change = await deletion.openChange();
    await change.transaction.query('SET LOCAL statement_timeout = 300');
    return change;
  };
  await deleteDomain({ ...deletion, openChange }, domain).finally(() =>
    database.query('DROP FUNCTION delay_deletion CASCADE; DROP FUNCTION delay_garbage CASCADE'),
  );
  expect(await findDomain(database, domain.id)).toBeUndefined();
});

test('deleting twice is no error', async () => {
  const domain = await addVerifiedDomain(database, account);
  await Promise.all([deleteDomain(deletion, domain), deleteDomain(deletion, domain)]);
  expect(await findDomain(database, domain.id)).toBeUndefined();
});

test('uploads and deletion at once leave no object that is not garbage', async () => {
  const domain = await addVerifiedDomain(database, account);
  const before = await fixture.keys('uploads/');
  const uploads = Array.from({ length: 5 }, (_, n) =>
    upload(account, { domain: domain.hostname, urls: plainEntries(n + 1) }),
  );
  await Promise.race(uploads);
  await deleteDomain(deletion, domain);
  await Promise.allSettled(uploads);
  const garbage = await fixture.garbage();
  const added = (await fixture.keys('uploads/')).filter((key) => !before.includes(key));
  expect(added.filter((key) => !garbage.some((prefix) => key.startsWith(prefix)))).toEqual([]);
  expect(await storage.get(siteKey(domain.hostname))).toBeUndefined();
});
