import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Assets } from '../../src/edges/dashboard/assets.ts';
import { createKeptAssets } from '../../src/edges/dashboard/kept-assets.ts';
import { openFolderStorage } from '../../src/platform/storage/folder-storage.ts';
import type { ObjectDescription } from '../../src/platform/storage/object-storage.ts';
import { collect } from '../support/collect.ts';
import { collectLog } from '../support/collect-log.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const DAY_MS = 24 * 3_600_000;

function buildOf(...names: string[]): Assets {
  const files = names.map(
    (name) => [name, { contentType: 'text/javascript', body: Buffer.from(name) }] as const,
  );
  return { page: Buffer.from(''), files: new Map(files) };
}

async function start() {
  const folder = await createTemporaryFolder();
  const storage = await openFolderStorage(folder);
  const log = collectLog();
  const keys = async () =>
    (await collect(storage.list('dashboard/'))).map(({ key }: ObjectDescription) => key);
  return { folder, storage, log, keys, run: (build: Assets) => createKeptAssets(storage, build, log) };
}

test('each process has the files of all builds', async () => {
  const { run, log } = await start();
  const [former, latter] = [run(buildOf('page-1.js', 'same-0.js')), run(buildOf('page-2.js', 'same-0.js'))];
  await former.renew();
  await latter.renew();
  const found = await latter.find('page-1.js');
  expect(found).toEqual({ contentType: 'text/javascript; charset=utf-8', body: Buffer.from('page-1.js') });
  expect((await former.find('page-2.js'))?.body.toString()).toBe('page-2.js');
  for (const name of ['page-3.js', '../builds/x', '../../sites/a.example.com/site.json', '', '__proto__']) {
    expect(await former.find(name)).toBeUndefined();
  }
  expect(log.lines).toEqual([]);
});

test('a thousand names that no build has cost the store one look', async () => {
  const { storage } = await start();
  let lists = 0;
  const counted = {
    ...storage,
    get: () => Promise.reject(new Error('asked')),
    put: storage.put.bind(storage),
    deleteMany: storage.deleteMany.bind(storage),
    list: (prefix: string) => {
      lists++;
      return storage.list(prefix);
    },
  };
  const kept = createKeptAssets(counted as never, buildOf('a.js'), collectLog());
  for (let n = 0; n < 1000; n++) expect(await kept.find(`page-${n}.js`)).toBeUndefined();
  expect(lists).toBeLessThanOrEqual(2);
});

test('files of a build that has not run for a week go, and those that another one has too stay', async () => {
  const { folder, keys, run } = await start();
  await run(buildOf('old.js', 'same.js')).renew();
  const before = await keys();
  const back = new Date(Date.now() - 8 * DAY_MS);
  for (const key of before) await utimes(join(folder, key), back, back);
  const between = run(buildOf('between.js'));
  await between.renew();
  for (const key of (await keys()).filter((one) => !before.includes(one))) {
    const time = new Date(Date.now() - 6 * DAY_MS);
    await utimes(join(folder, key), time, time);
  }
  await run(buildOf('new.js', 'same.js')).renew();
  const files = (await keys()).filter((key) => key.startsWith('dashboard/assets/'));
  expect(files.sort()).toEqual(['between.js', 'new.js', 'same.js'].map((name) => `dashboard/assets/${name}`));
  expect(await keys()).toHaveLength(3 + 2);
});

test('without the store the own build works, and the log says what does not', async () => {
  const { log } = await start();
  const broken = () => {
    throw new Error('no store');
  };
  const storage = { get: broken, put: broken, list: broken, deleteMany: broken } as never;
  await createKeptAssets(storage, buildOf('a.js'), log).renew();
  expect(log.lines).toMatchObject([{ message: 'the files of the dashboard could not be kept' }]);
});
