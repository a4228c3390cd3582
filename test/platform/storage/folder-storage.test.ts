import promises, { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { awaitFolderStorage, openFolderStorage } from '../../../src/platform/storage/folder-storage.ts';
import { collect } from '../../support/collect.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { testObjectStorage } from './object-storage-contract.ts';

const folder = await createTemporaryFolder();

describe('object storage in a folder', () => {
  testObjectStorage(async () => {
    // Like a folder whose disk is not mounted.
    const gone = join(folder, 'gone');
    const unreachable = await openFolderStorage(gone);
    await rm(gone, { recursive: true });
    const storage = await openFolderStorage(join(folder, 'contract'));
    return {
      storage,
      unreachable,
      interruptedPut: (put, key, content) => storage[put](key, [content, null as never]),
    };
  });
});

test('a folder that others create fails until it is theirs, and is never made', async () => {
  const path = join(folder, 'mounted');
  const storage = await awaitFolderStorage(path);
  await expect(storage.get('a')).rejects.toThrow('ENOENT');
  await expect(storage.put('a', [Buffer.from('x')])).rejects.toThrow('could not store object a');
  await expect(readdir(path)).rejects.toThrow('ENOENT');
  // The place where a disk is to be mounted.
  await mkdir(path);
  await expect((await awaitFolderStorage(path)).get('a')).rejects.toThrow('ENOENT');
  await (await openFolderStorage(path)).put('b', [Buffer.from('y')]);
  expect(await storage.get('a')).toBeUndefined();
  expect(await storage.head('b')).toBeDefined();
  await writeFile(join(folder, 'no folder'), '');
  await expect(awaitFolderStorage(join(folder, 'no folder'))).rejects.toThrow('ENOTDIR');
});

test('an object is a file of the same name', async () => {
  const storage = await openFolderStorage(join(folder, 'plain'));
  await storage.put('uploads/u/1.xml.gz', [Buffer.from('x')]);
  expect(await readFile(join(folder, 'plain/uploads/u/1.xml.gz'), 'utf8')).toBe('x');
});

test('a failing put keeps the old object, and leaves nothing half written', async () => {
  const storage = await openFolderStorage(join(folder, 'failing'));
  await storage.put('a', [Buffer.from('old')]);
  await expect(storage.put('a', [Buffer.from('new'), null as never])).rejects.toThrow();
  await expect(storage.put('a/b', [Buffer.from('below a file')])).rejects.toThrow(
    'could not store object a/b',
  );
  expect(await readFile(join(folder, 'failing/a'), 'utf8')).toBe('old');
  expect(await readdir(join(folder, 'failing/.incoming'))).toEqual([]);
});

test.each([
  ['FAT', 'EPERM'],
  ['a mount of rclone', 'EIO'],
])('%s, which has no hard links, can put if nothing is there', async (name, code) => {
  const { link } = promises;
  const replaceLink = (by: typeof link) => {
    promises.link = by;
    syncBuiltinESMExports();
  };
  replaceLink(() => Promise.reject(Object.assign(new Error(`${code}: link`), { code })));
  onTestFinished(() => replaceLink(link));
  const storage = await openFolderStorage(join(folder, name));
  expect(await storage.putIfUnchanged('a', [Buffer.from('one')], undefined)).toBe(true);
  expect(await storage.putIfUnchanged('a', [Buffer.from('two')], undefined)).toBe(false);
  expect(await readFile(join(folder, name, 'a'), 'utf8')).toBe('one');
  expect(await readdir(join(folder, name, '.incoming'))).toEqual([]);
});

test('half-written files from a crash are removed when the folder is opened, unless they may be under way', async () => {
  const incoming = join(folder, 'crashed/.incoming');
  await mkdir(incoming, { recursive: true });
  await writeFile(join(incoming, 'abandoned'), 'half');
  await writeFile(join(incoming, 'under-way'), 'half');
  const twoDaysAgo = new Date(Date.now() - 2 * 24 * 3_600_000);
  await utimes(join(incoming, 'abandoned'), twoDaysAgo, twoDaysAgo);
  await openFolderStorage(join(folder, 'crashed'));
  expect(await readdir(incoming)).toEqual(['under-way']);
});

test.each(['', '/', '/etc/passwd', '../x', 'a/../b', 'a//b', 'a/', './a', '.incoming/a', 'a/.b', 'a\0b'])(
  'the key %j is refused by every operation',
  async (key) => {
    const storage = await openFolderStorage(join(folder, 'closed'));
    await expect(storage.put(key, [Buffer.from('x')])).rejects.toThrow('not an object key');
    await expect(storage.get(key)).rejects.toThrow('not an object key');
    await expect(storage.head(key)).rejects.toThrow('not an object key');
    await expect(storage.deleteMany([key])).rejects.toThrow('not an object key');
  },
);

test.each(['../', '../../etc/', '/etc/', 'x/../../', '.incoming/'])(
  'the prefix %j is refused',
  async (prefix) => {
    const storage = await openFolderStorage(join(folder, 'closed'));
    await expect(collect(storage.list(prefix))).rejects.toThrow('not an object key');
  },
);
