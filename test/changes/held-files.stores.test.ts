/** A held upload as one side of a comparison, over a real database. */
import { expect, test } from 'vitest';
import { findHeldFiles, findHeldSides } from '../../src/features/changes/held-files-store.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { plainEntries } from '../uploads/batches.ts';
import { createUploadFixture } from '../uploads/upload-fixture.ts';

const fixture = await createUploadFixture();
const { database, upload, publishHeld } = fixture;
const account = await addAccount(database);

test('a held upload is there with its files in order, until it is published', async () => {
  const { id, hostname } = await addVerifiedDomain(database, account);
  await database.query('UPDATE domains SET max_removed_percent = 0 WHERE id = $1', [id]);
  await upload(account, { domain: hostname, urls: plainEntries(4000), sizeLimit: 'gsc-optimized' });
  const urls = plainEntries(2500);
  const refusal = await upload(account, { domain: hostname, urls, sizeLimit: 'gsc-optimized' }).then(
    () => undefined,
    (error) => error,
  );
  const uploadId = String(refusal.options.details.uploadId);
  const { rows } = await database.query('SELECT upload_id AS live FROM sitemaps WHERE domain_id = $1', [id]);
  expect(await findHeldSides(database, account, uploadId)).toEqual({
    ...{ hostname, sitemapName: '', isHeld: true, liveUploadId: rows[0].live, haveOtherXml: false },
    askedAt: expect.any(Date),
  });
  expect(await findHeldSides(database, await addAccount(database), uploadId)).toBeUndefined();
  const files = await findHeldFiles(database, uploadId);
  expect(files.map(({ n, uploadN, entries }) => [n, uploadN, entries])).toEqual([
    [1, 1, 1000],
    [2, 2, 1000],
    [3, 3, 500],
  ]);
  for (const { etag, bytes, gzipBytes, uploadId: of } of files) {
    expect({ etag: etag.length > 0, isLess: gzipBytes < bytes, of }).toEqual({
      ...{ etag: true, isLess: true, of: uploadId },
    });
  }

  await database.query('UPDATE uploads SET xml_version = 999 WHERE id = $1', [rows[0].live]);
  expect(await findHeldSides(database, account, uploadId)).toMatchObject({ haveOtherXml: true });
  await publishHeld(account, uploadId, { force: true });
  expect(await findHeldSides(database, account, uploadId)).toMatchObject({ isHeld: false });
  expect(await findHeldFiles(database, uploadId)).toEqual([]);
});
