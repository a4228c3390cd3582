import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { adoptStorage, checkStorageMark, MARK_KEY } from '../../src/core/schema/storage-mark.ts';
import { type Database, inTransaction } from '../../src/platform/postgres/database.ts';
import { ConfigError } from '../../src/platform/process/config-error.ts';
import { awaitFolderStorage, openFolderStorage } from '../../src/platform/storage/folder-storage.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { createTestDatabase } from '../support/test-database.ts';

const folder = await createTemporaryFolder();
const { database } = await createTestDatabase();
const { database: other } = await createTestDatabase();
await other.query('UPDATE storage_mark SET mark = gen_random_uuid()');

let folders = 0;
const newPath = () => join(folder, `store-${++folders}`);

/** Makes the database as it was before its first store. `isUsed`: it has a sitemap, so its store had objects. */
async function renew(of: Database, isUsed = false): Promise<void> {
  await inTransaction(of, async (transaction) => {
    await transaction.query('UPDATE storage_mark SET is_stored = false');
    await transaction.query('DELETE FROM sitemaps');
    // Without its foreign keys, the row needs no upload and no domain.
    await transaction.query('SET LOCAL session_replication_role = replica');
    if (isUsed)
      await transaction.query(`INSERT INTO sitemaps (domain_id, name, upload_id) VALUES ('d', '', 'u')`);
  });
}

async function check(of: Database, path: string): Promise<void> {
  await checkStorageMark(
    of,
    await awaitFolderStorage(path),
    async () => void (await openFolderStorage(path)),
  );
}

const isRefused = async (of: Database, path: string, message: string) => {
  await expect(check(of, path)).rejects.toThrow(ConfigError);
  await expect(check(of, path)).rejects.toThrow(message);
};

test('a new database makes its store and marks it, once for all processes', async () => {
  await renew(database);
  const path = newPath();
  await Promise.all(Array.from({ length: 8 }, () => check(database, path)));
  const { rows } = await database.query('SELECT mark::text, is_stored FROM storage_mark');
  expect(rows).toEqual([{ mark: await readFile(join(path, MARK_KEY), 'utf8'), is_stored: true }]);
  await check(database, path);
});

test('a store that has gone is refused and not made, and accepted when it is there again', async () => {
  await renew(database);
  const path = newPath();
  await check(database, path);
  const mark = await readFile(join(path, MARK_KEY));
  await rm(path, { recursive: true });
  await isRefused(database, path, 'The object storage has nothing of this database');
  // The place where its disk is mounted.
  await mkdir(path);
  await isRefused(database, path, 'The object storage has nothing of this database');
  expect(await readdir(path)).toEqual([]);
  await openFolderStorage(path);
  await isRefused(database, path, 'The object storage has nothing of this database');
  // An editor or a copy by hand may end it with a line feed.
  await writeFile(join(path, MARK_KEY), `${mark}\n`);
  await check(database, path);
});

test('a copy without empty folders, as rclone and aws s3 sync make it, is a whole store', async () => {
  await renew(database);
  const path = newPath();
  await check(database, path);
  await rm(join(path, '.incoming'), { recursive: true });
  await check(database, path);
  const storage = await awaitFolderStorage(path);
  await storage.put('a', [Buffer.from('b')]);
  expect(await storage.get('none')).toBeUndefined();
});

test('the store of another database is refused and stays as it is, also for a new database', async () => {
  await renew(database);
  await renew(other);
  const path = newPath();
  await check(database, path);
  const mark = await readFile(join(path, MARK_KEY), 'utf8');
  await isRefused(other, path, 'The object storage is that of another database');
  expect(await readFile(join(path, MARK_KEY), 'utf8')).toBe(mark);
  await check(other, newPath());
  await isRefused(other, path, 'The object storage is that of another database');
});

test('of two new databases with one store, one has it', async () => {
  await renew(database);
  await renew(other);
  const path = newPath();
  const outcomes = await Promise.allSettled([check(database, path), check(other, path)]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('the store of an older version has objects and no mark: it gets one; an empty store is refused', async () => {
  await renew(database, true);
  const path = newPath();
  await isRefused(database, path, 'The object storage has nothing of this database');
  const storage = await openFolderStorage(path);
  await isRefused(database, path, 'The object storage has nothing of this database');
  // What is on the root of a disk, or in its place while it is not mounted, is of others.
  await mkdir(join(path, 'lost+found'));
  for (const name of ['lost+found/#11', 'NOT-MOUNTED']) await writeFile(join(path, name), '');
  await isRefused(database, path, 'The object storage has nothing of this database');
  await storage.put('sites/d.example/site.json', [Buffer.from('{}')]);
  await check(database, path);
  expect(await storage.head(MARK_KEY)).toBeDefined();
});

test('an adopted store is that of the database, and no longer that of the one before', async () => {
  await renew(database);
  await renew(other);
  const path = newPath();
  await check(database, path);
  await adoptStorage(other, await openFolderStorage(path));
  await check(other, path);
  await isRefused(database, path, 'The object storage is that of another database');
});

test('a store that cannot be reached is another error, and the store is not marked', async () => {
  await renew(database);
  const storage = await openFolderStorage(newPath());
  const down = { ...storage, get: () => Promise.reject(new Error('no route')) };
  const checked = checkStorageMark(database, down as never, async () => {});
  await expect(checked).rejects.not.toThrow(ConfigError);
  const { rows } = await database.query('SELECT is_stored FROM storage_mark');
  expect(rows).toEqual([{ is_stored: false }]);
});
