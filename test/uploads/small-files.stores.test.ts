/** Small files of uploads: where their bytes are, and that they come and go with their upload. */
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { collectGarbage } from '../../src/features/sites/collect-garbage.ts';
import { createReadUploadFile } from '../../src/features/sites/read-upload-file.ts';
import { uploadFileKey, uploadPrefix } from '../../src/features/sites/site.ts';
import { readSmallFiles } from '../../src/features/sites/small-file-store.ts';
import type { ObjectStorage } from '../../src/platform/storage/object-storage.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { collectLog } from '../support/collect-log.ts';
import { bulkyEntries, plainEntries } from './batches.ts';
import { createUploadFixture, DAY_MS } from './upload-fixture.ts';

const fixture = await createUploadFixture();
const { database, storage, upload } = fixture;
const account = await addAccount(database);
const newDomain = () => addVerifiedDomain(database, account);
const LOC = /<loc>(.*?)<\/loc>/g;

/** The files of an upload as they are served: their URLs, and where each is. */
async function filesOf(uploadId: string, count: number) {
  const keys = await fixture.keys(uploadPrefix(uploadId));
  const small = await readSmallFiles(database, [uploadId]);
  const read = createReadUploadFile(fixture, [uploadId]);
  return Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const xml = gunzipSync((await read(uploadId, i + 1))!).toString();
      const places = [
        ...(small.has(uploadFileKey(uploadId, i + 1)) ? ['row'] : []),
        ...(keys.includes(uploadFileKey(uploadId, i + 1)) ? ['object'] : []),
      ];
      return { places, locs: Array.from(xml.matchAll(LOC), ([, loc]) => loc) };
    }),
  );
}

const locsOf = (urls: readonly { readonly loc: string }[]) => urls.map(({ loc }) => loc);

test('a small file is a row, another one is an object, and none is both', async () => {
  const { hostname } = await newDomain();
  const urls = [...plainEntries(1000), ...bulkyEntries(1000), ...plainEntries(100, 1000)];
  const { uploadId } = await upload(account, { domain: hostname, sizeLimit: 'gsc-optimized', urls });
  expect(await filesOf(uploadId, 3)).toEqual([
    { places: ['row'], locs: locsOf(urls.slice(0, 1000)) },
    { places: ['object'], locs: locsOf(urls.slice(1000, 2000)) },
    { places: ['row'], locs: locsOf(urls.slice(2000)) },
  ]);
});

/** A store that takes no files, and gives none. */
function withoutFiles(): ObjectStorage {
  const refuse = () => Promise.reject(new Error('no files'));
  const { put, putIfUnchanged, list } = storage;
  const others = { put, putIfUnchanged, list, deleteMany: refuse, putNew: refuse };
  const bound = Object.entries(others).map(([name, method]) => [name, method.bind(storage)]);
  const get: ObjectStorage['get'] = (key, range) =>
    key.startsWith('uploads/') ? refuse() : storage.get(key, range);
  return { ...Object.fromEntries(bound), get };
}

test('an upload of small files needs no object, even if its size limit comes last', async () => {
  const { hostname } = await newDomain();
  const urls = plainEntries(2500);
  const body = { domain: hostname, urls, sizeLimit: 'gsc-optimized' };
  const { uploadId, fileCount } = await upload(account, body, { storage: withoutFiles() });
  expect(fileCount).toBe(3);
  const files = await filesOf(uploadId, 3);
  expect(files.map(({ places }) => places)).toEqual([['row'], ['row'], ['row']]);
  expect(files.flatMap(({ locs }) => locs)).toEqual(locsOf(urls));
});

test('a dry run leaves no row', async () => {
  const { hostname } = await newDomain();
  const { uploadId } = await upload(account, { dryRun: true, domain: hostname, urls: plainEntries(10) });
  expect(await readSmallFiles(database, [uploadId])).toEqual(new Map());
  expect(await fixture.keys(uploadPrefix(uploadId))).toEqual([]);
});

test('an upload that is held has objects only, and keeps them when it is published', async () => {
  const { hostname } = await newDomain();
  await upload(account, { domain: hostname, urls: plainEntries(1200) });
  const urls = plainEntries(10);
  const held = await upload(account, { domain: hostname, urls }).catch((error) => error);
  const { uploadId } = held.options.details;
  const { rows } = await database.query('SELECT files FROM held_uploads WHERE id = $1', [uploadId]);
  expect(rows[0].files).toMatchObject([{ n: 1, entries: 10 }]);
  expect(rows[0].files[0]).not.toHaveProperty('content');
  expect(await fixture.garbage()).toContain(uploadPrefix(uploadId));
  await fixture.publishHeld(account, uploadId, { force: true });
  expect(await filesOf(uploadId, 1)).toEqual([{ places: ['object'], locs: locsOf(urls) }]);
  expect(await fixture.garbage()).not.toContain(uploadPrefix(uploadId));
});

test('an upload that cannot be held leaves nothing', async () => {
  const { hostname } = await newDomain();
  await upload(account, { domain: hostname, urls: plainEntries(1200) });
  const before = { keys: await fixture.keys(), garbage: await fixture.garbage() };
  await database.query('ALTER TABLE held_uploads ADD CONSTRAINT none CHECK (false) NOT VALID');
  await expect(upload(account, { domain: hostname, urls: plainEntries(10) })).rejects.toThrow('none');
  await database.query('ALTER TABLE held_uploads DROP CONSTRAINT none');
  expect({ keys: await fixture.keys(), garbage: await fixture.garbage() }).toEqual(before);
});

test('replaced small files stay as long as their upload, and are deleted with it', async () => {
  const { hostname } = await newDomain();
  const { uploadId } = await upload(account, { domain: hostname, urls: plainEntries(10) });
  await upload(account, { domain: hostname, urls: plainEntries(11) });
  await database.query('UPDATE sitemaps SET compared_upload_id = upload_id');
  expect(await fixture.garbage()).toContain(uploadPrefix(uploadId));
  expect((await readSmallFiles(database, [uploadId])).size).toBe(1);
  await database.query('UPDATE garbage SET collect_after = now() WHERE prefix = $1', [
    uploadPrefix(uploadId),
  ]);
  const common = { database, storage, log: collectLog() };
  await collectGarbage({ ...common, keepReplacedMs: DAY_MS, replacedBytes: { business: 1e9 } });
  expect(await readSmallFiles(database, [uploadId])).toEqual(new Map());
  expect(await fixture.keys(uploadPrefix(uploadId))).toEqual([]);
});
