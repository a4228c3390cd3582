/** Generations of a sitemap that one group publishes have one time. Lists have the newest first all the same. */
import { expect, test } from 'vitest';
import { listFormerUploads } from '../../src/features/sites/site-store.ts';
import { listUploads } from '../../src/features/uploads/list-uploads.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { plainEntries } from './batches.ts';
import { createUploadFixture, DAY_MS } from './upload-fixture.ts';

const { database, upload } = await createUploadFixture();

test('uploads of one time are listed by their generations, the newest first', async () => {
  const { id, accountId, hostname } = await addVerifiedDomain(database, await addAccount(database));
  const ids: string[] = [];
  for (let n = 1; n <= 8; n++) {
    ids.unshift((await upload(accountId, { domain: hostname, urls: plainEntries(n) })).uploadId);
  }
  await database.query('UPDATE uploads SET published_at = now()');
  await database.query('UPDATE uploads SET replaced_at = now() WHERE replaced_at IS NOT NULL');
  const listed = await listUploads(database, { hostname }, 10);
  expect(listed.map((one) => one.id)).toEqual(ids);
  const paged: string[] = [];
  for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const page = await listUploads(database, { hostname }, 3, after);
    paged.push(...page.map((one) => one.id));
    after = page.at(-1)?.position;
  }
  expect(paged).toEqual(ids);
  const former = (await listFormerUploads(database, [id], DAY_MS)).get(id)!;
  expect(former.map(({ uploadId }) => uploadId)).toEqual(ids.slice(1));
});
