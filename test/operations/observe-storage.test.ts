import { expect, test } from 'vitest';
import { observeStorage } from '../../src/operations/observe-storage.ts';
import { createMetrics } from '../../src/operations/registry.ts';
import { openFolderStorage } from '../../src/platform/storage/folder-storage.ts';
import type { ObjectStorage } from '../../src/platform/storage/object-storage.ts';
import { collect } from '../support/collect.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const storage = await openFolderStorage(await createTemporaryFolder());

async function countsOf(metrics: ReturnType<typeof createMetrics>) {
  const counted: Record<string, number> = {};
  const pattern = /_seconds_count\{operation="(\w+)",outcome="(\w+)"\} (\d+)/g;
  for (const [, operation, outcome, count] of (await metrics.metrics()).matchAll(pattern)) {
    counted[`${operation} ${outcome}`] = Number(count);
  }
  return counted;
}

test('every operation is counted by its outcome, and answers as before', async () => {
  const metrics = createMetrics();
  const observed = observeStorage(storage, metrics);
  await observed.put('a', [Buffer.from('abc')]);
  await observed.putNew('b', [Buffer.from('x')]);
  const object = (await observed.get('a', { offset: 1, length: 2 }))!;
  expect(Buffer.concat(await object.body.toArray()).toString()).toBe('bc');
  expect(await observed.getIfChanged('a', object.version!)).toBe('unchanged');
  expect(await observed.get('none')).toBeUndefined();
  expect(await observed.head('none')).toBeUndefined();
  expect((await observed.head('a'))?.bytes).toBe(3);
  expect((await collect(observed.list(''))).map(({ key }) => key).sort()).toEqual(['a', 'b']);
  await observed.deleteMany(['a', 'b']);
  expect(await countsOf(metrics)).toEqual({
    'put done': 1,
    'putNew done': 1,
    'get done': 1,
    'get absent': 1,
    'getIfChanged done': 1,
    'head done': 1,
    'head absent': 1,
    'list done': 1,
    'deleteMany done': 1,
  });
});

test('a failure is counted and passed on', async () => {
  const metrics = createMetrics();
  const failing = { head: () => Promise.reject(new Error('down')) } as unknown as ObjectStorage;
  const observed = observeStorage(failing, metrics);
  await expect(observed.head('a')).rejects.toThrow('down');
  await expect(collect(observed.list(''))).rejects.toThrow();
  expect(await countsOf(metrics)).toEqual({ 'head failed': 1, 'list failed': 1 });
});
