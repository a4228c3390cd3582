import { expect, test } from 'vitest';
import { clampFreshUntil } from '../../../src/features/uploads/freshness/freshness-store.ts';
import { inTransaction } from '../../../src/platform/postgres/database.ts';
import { addAccount, addServedDomain } from '../../support/accounts.ts';
import { plainEntries } from '../batches.ts';
import { createUploadFixture } from '../upload-fixture.ts';

const fixture = await createUploadFixture();
const { database } = fixture;

test('uploads of a clock that was ahead are corrected in portions, and wait for no publication', async () => {
  const account = await addAccount(database);
  const { hostname } = await addServedDomain(database, account);
  for (const sitemapName of ['a', 'b', 'c']) {
    await fixture.upload(account, { domain: hostname, sitemapName, urls: plainEntries(1) });
  }
  await database.query(`UPDATE sitemaps SET expect_every_hours = 1, fresh_until = now() + interval '1 year'`);
  const ahead = async () => {
    const { rows } = await database.query<{ name: string }>(
      `SELECT name FROM sitemaps WHERE fresh_until > now() + interval '1 hour' ORDER BY name`,
    );
    return rows.map(({ name }) => name);
  };
  await inTransaction(database, async (transaction) => {
    await transaction.query(`SELECT FROM sitemaps WHERE name = 'a' FOR UPDATE`);
    expect(await clampFreshUntil(database, 1)).toBe(1);
    expect(await clampFreshUntil(database, 10)).toBe(1);
    expect(await ahead()).toEqual(['a']);
  });
  expect(await clampFreshUntil(database, 10)).toBe(1);
  expect(await ahead()).toEqual([]);
});
