/** Two processes that place uploads of one sitemap at once. */
import { expect, test } from 'vitest';
import { holdPlacing } from '../../../src/features/uploads/placement/hold-placing.ts';
import { addAccount, addServedDomain } from '../../support/accounts.ts';
import { createUploadFixture } from '../upload-fixture.ts';

const fixture = await createUploadFixture();
const { database } = fixture;

test('the end of a placement leaves deltas away from the placement that began later', async () => {
  const account = await addAccount(database);
  const { id: domainId, hostname } = await addServedDomain(database, account);
  await fixture.upload(account, { domain: hostname, urls: [{ loc: 'https://www.example.com/' }] });
  const isHeld = async () =>
    (
      await database.query(
        'SELECT placing_until > now() IS TRUE AS held FROM sitemaps WHERE domain_id = $1',
        [domainId],
      )
    ).rows[0].held;
  const key = { domainId, sitemapName: '' };
  const first = await holdPlacing(database, key);
  const second = await holdPlacing(database, key);
  await first.release();
  expect(await isHeld()).toBe(true);
  await second.release();
  expect(await isHeld()).toBe(false);
});
