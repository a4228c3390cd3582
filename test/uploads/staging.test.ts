import { describe, expect, test } from 'vitest';
import { cutFiles } from '../../src/uploads/cut-files.ts';
import { MAX_PUTS, Staging, type StagingOptions } from '../../src/uploads/staging.ts';
import { collect } from '../support/collect.ts';
import { fragmentOf, plainEntries } from './batches.ts';

const fragments = Array.from({ length: MAX_PUTS + 4 }, (_, n) => fragmentOf(plainEntries(1000, n * 1000)));
const files = await collect(cutFiles(asSource(fragments), () => 1000));

async function* asSource<Value>(values: Iterable<Value>): AsyncGenerator<Value> {
  yield* values;
}

/** A store in memory that records events in order. */
function watchedStore(store: Partial<StagingOptions['storage']> = {}) {
  const events: string[] = [];
  const objects = new Map<string, Buffer>();
  const leftBehind: unknown[] = [];
  const options: StagingOptions = {
    storage: {
      putNew: async (key, bytes) => void objects.set(key, Buffer.concat(bytes)),
      deleteMany: async (keys) => {
        for (const key of keys) objects.delete(key);
      },
      ...store,
    },
    reserve: async (id) => void events.push(`reserve ${id}`),
    release: async (id) => void events.push(`release ${id}`),
    onLeftBehind: (error) => leftBehind.push(error),
  };
  return { options, events, objects, leftBehind };
}

describe('at the end of its scope', () => {
  test('staged files are deleted, and the upload is no longer garbage', async () => {
    const { options, events, objects } = watchedStore();
    {
      await using staging = await Staging.open('upload_1', options);
      expect(events).toEqual(['reserve upload_1']);
      await staging.add(files[0]!);
      await staging.settle();
      expect([...objects.keys()]).toEqual(['uploads/upload_1/1.xml.gz']);
    }
    expect(objects.size).toBe(0);
    expect(events).toEqual(['reserve upload_1', 'release upload_1']);
  });

  test('kept files stay', async () => {
    const { options, events, objects } = watchedStore();
    {
      await using staging = await Staging.open('upload_1', options);
      for (const file of files) await staging.add(file);
      await staging.settle();
      staging.keep();
    }
    expect([...objects.values()]).toEqual(files.map((file) => Buffer.concat(file.parts)));
    expect(events).toEqual(['reserve upload_1']);
  });

  test('a put under way ends before its file is deleted', async () => {
    const mayEnd = Promise.withResolvers<void>();
    const order: string[] = [];
    const { options } = watchedStore({
      putNew: async () => {
        await mayEnd.promise;
        order.push('put');
      },
      deleteMany: async () => void order.push('delete'),
    });
    const staging = await Staging.open('upload_1', options);
    await staging.add(files[0]!);
    const disposed = staging[Symbol.asyncDispose]();
    mayEnd.resolve();
    await disposed;
    expect(order).toEqual(['put', 'delete']);
  });

  test('a failing delete leaves the files to the sweep, and is reported', async () => {
    const problem = new Error('no');
    const { options, events, leftBehind } = watchedStore({ deleteMany: () => Promise.reject(problem) });
    {
      await using staging = await Staging.open('upload_1', options);
      await staging.add(files[0]!);
    }
    expect(leftBehind).toEqual([problem]);
    expect(events).toEqual(['reserve upload_1']);
  });

  test('a file that could not be stored is left to the sweep, because the store may get it later', async () => {
    const { options, events } = watchedStore({ putNew: () => Promise.reject(new Error('no answer')) });
    {
      await using staging = await Staging.open('upload_1', options);
      await staging.add(files[0]!);
    }
    expect(events).not.toContain('release upload_1');
  });
});

test('a failing put is reported while others are under way', async () => {
  const mayEnd = Promise.withResolvers<void>();
  const { options } = watchedStore({
    putNew: (key) => (key.includes('/2.') ? Promise.reject(new Error('no')) : mayEnd.promise),
  });
  await using staging = await Staging.open('upload_1', options);
  await staging.add(files[0]!);
  await staging.add(files[1]!);
  await expect(staging.settle()).rejects.toThrow('a file could not be stored');
  mayEnd.resolve();
});

test('a failing put surfaces with its cause, at the latest when all files must be stored', async () => {
  const problem = new Error('disk full');
  const { options } = watchedStore({ putNew: () => Promise.reject(problem) });
  await using staging = await Staging.open('upload_1', options);
  await staging.add(files[0]!);
  await expect(staging.settle()).rejects.toMatchObject({ cause: problem });
  await expect(staging.add(files[1]!)).rejects.toMatchObject({ cause: problem });
});

test('only some puts are under way at once, and the next file waits for room', async () => {
  const waiting: (() => void)[] = [];
  let most = 0;
  const { options } = watchedStore({
    putNew: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      most = Math.max(most, waiting.length);
      return promise;
    },
  });
  await using staging = await Staging.open('upload_1', options);
  for (const file of files.slice(0, MAX_PUTS)) await staging.add(file);
  let isNextIn = false;
  const next = staging.add(files[MAX_PUTS]!).then(() => {
    isNextIn = true;
  });
  await new Promise(setImmediate);
  expect(isNextIn).toBe(false);
  waiting.shift()!();
  await next;
  for (const end of waiting.splice(0)) end();
  await staging.settle();
  expect(most).toBe(MAX_PUTS);
});

test('large files are stored one at a time, even a file larger than all room', async () => {
  const under: number[] = [];
  let bytesUnderWay = 0;
  const { options } = watchedStore({
    putNew: async (_, bytes) => {
      bytesUnderWay += bytes[0]!.length;
      under.push(bytesUnderWay);
      await new Promise(setImmediate);
      bytesUnderWay -= bytes[0]!.length;
    },
  });
  await using staging = await Staging.open('upload_1', options);
  const MiB = 1024 * 1024;
  for (const size of [20 * MiB, 20 * MiB, 40 * MiB, 1]) {
    await staging.add({ ...files[0]!, parts: [new Uint8Array(size)], gzipBytes: size });
  }
  await staging.settle();
  expect(under).toEqual([20 * MiB, 20 * MiB, 40 * MiB, 1]);
});
