import { describe, expect, test } from 'vitest';
import { cutFiles } from '../../src/features/sites/cut-files.ts';
import type { Fragment } from '../../src/features/sites/fragment.ts';
import { MAX_SMALL_BYTES, SMALL_FILE_BYTES } from '../../src/features/sites/small-files.ts';
import { MAX_PUTS, Staging, type StagingOptions } from '../../src/features/uploads/staging.ts';
import { LARGE_FILE_BYTES, StagingRoom } from '../../src/features/uploads/staging-room.ts';
import { collect } from '../support/collect.ts';
import { bulkyEntries, fragmentOf, plainEntries } from './batches.ts';

/** None of the files is small. */
const fragments = Array.from({ length: MAX_PUTS + 4 }, (_, n) =>
  viewed(fragmentOf(bulkyEntries(500, n * 500))),
);
const files = await collect(cutFiles(asSource(fragments), () => 500));
const small = (await collect(cutFiles(asSource([viewed(fragmentOf(plainEntries(10)))]), () => 1000)))[0]!;

/** A view of more bytes, which a staging leaves as they are. */
function viewed({ deflated, ...rest }: Fragment): Fragment {
  return { ...rest, deflated: Buffer.concat([deflated, Buffer.alloc(1)]).subarray(0, deflated.length) };
}

async function* asSource<Value>(values: Iterable<Value>): AsyncGenerator<Value> {
  yield* values;
}

/** A store in memory that records events in order. */
function watchedStore(store: Partial<StagingOptions['storage']> = {}) {
  const events: string[] = [];
  const objects = new Map<string, Buffer>();
  const leftBehind: unknown[] = [];
  const options: StagingOptions = {
    ...{ hashSeed: 1n, accountId: 'account_1', room: new StagingRoom() },
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
      await using staging = new Staging('upload_1', options);
      expect(events).toEqual([]);
      await staging.add(files[0]!);
      expect(events).toEqual(['reserve upload_1']);
      await staging.add(files[1]!);
      await staging.settle();
      expect(staging.hasObjects).toBe(true);
      expect([...objects.keys()]).toEqual([1, 2].map((n) => `uploads/upload_1/${n}.xml.gz`));
    }
    expect(objects.size).toBe(0);
    expect(events).toEqual(['reserve upload_1', 'release upload_1']);
  });

  test('kept files stay', async () => {
    const { options, events, objects } = watchedStore();
    {
      await using staging = new Staging('upload_1', options);
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
    const staging = new Staging('upload_1', options);
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
      await using staging = new Staging('upload_1', options);
      await staging.add(files[0]!);
    }
    expect(leftBehind).toEqual([problem]);
    expect(events).toEqual(['reserve upload_1']);
  });

  test('a file that could not be stored is left to the sweep, because the store may get it later', async () => {
    const { options, events } = watchedStore({ putNew: () => Promise.reject(new Error('no answer')) });
    {
      await using staging = new Staging('upload_1', options);
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
  await using staging = new Staging('upload_1', options);
  await staging.add(files[0]!);
  await staging.add(files[1]!);
  await expect(staging.settle()).rejects.toThrow('a file could not be stored');
  mayEnd.resolve();
});

test('a failing put surfaces with its cause, at the latest when all files must be stored', async () => {
  const problem = new Error('disk full');
  const { options } = watchedStore({ putNew: () => Promise.reject(problem) });
  await using staging = new Staging('upload_1', options);
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
  await using staging = new Staging('upload_1', options);
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
  await using staging = new Staging('upload_1', options);
  const MiB = 1024 * 1024;
  for (const size of [20 * MiB, 20 * MiB, 40 * MiB, SMALL_FILE_BYTES + 1]) {
    await staging.add({ ...files[0]!, parts: [new Uint8Array(size)], gzipBytes: size });
  }
  await staging.settle();
  expect(under).toEqual([20 * MiB, 20 * MiB, 40 * MiB, SMALL_FILE_BYTES + 1]);
});

describe('small files', () => {
  const gzipOf = ({ parts }: { readonly parts: readonly Uint8Array[] }) => Buffer.concat(parts);
  const sized = (bytes: number) => ({ ...small, parts: [new Uint8Array(bytes)], gzipBytes: bytes });

  test('stay in memory: nothing is reserved, stored or deleted for them', async () => {
    const { options, events, objects } = watchedStore({ deleteMany: () => Promise.reject(new Error('no')) });
    {
      await using staging = new Staging('upload_1', options);
      await staging.add(small);
      await staging.settle();
      expect(staging.hasObjects).toBe(false);
      expect(staging.files).toMatchObject([{ n: 1, entries: 10, content: gzipOf(small) }]);
    }
    expect({ events, stored: objects.size }).toEqual({ events: [], stored: 0 });
  });

  test('are small up to a size, and all of an upload up to another, in the order of the files', async () => {
    const { options, objects } = watchedStore();
    await using staging = new Staging('upload_1', options);
    const most = SMALL_FILE_BYTES;
    expect(4 * most).toBe(MAX_SMALL_BYTES);
    for (const size of [most + 1, most, most, most, most - 1, 2, 1, 1]) await staging.add(sized(size));
    await staging.settle();
    const objectsAt = [1, 6, 8];
    expect(staging.files.filter(({ content }) => content === undefined).map(({ n }) => n)).toEqual(objectsAt);
    expect([...objects.keys()]).toEqual(objectsAt.map((n) => `uploads/upload_1/${n}.xml.gz`));
  });

  test('are deleted with the others only where they were stored', async () => {
    const deleted: string[] = [];
    const { options, events } = watchedStore({ deleteMany: async (keys) => void deleted.push(...keys) });
    {
      await using staging = new Staging('upload_1', options);
      for (const file of [small, files[0]!, small]) await staging.add(file);
    }
    expect(deleted).toEqual(['uploads/upload_1/2.xml.gz']);
    expect(events).toEqual(['reserve upload_1', 'release upload_1']);
  });

  test('can be stored after all, and are deleted then', async () => {
    const { options, events, objects } = watchedStore();
    {
      await using staging = new Staging('upload_1', options);
      for (const file of [small, files[0]!, small]) await staging.add(file);
      await staging.storeAll();
      expect([...objects].sort()).toEqual(
        [small, files[0]!, small].map((file, i) => [`uploads/upload_1/${i + 1}.xml.gz`, gzipOf(file)]),
      );
      expect(staging.files.map(({ n, content }) => [n, content])).toEqual(
        [1, 2, 3].map((n) => [n, undefined]),
      );
    }
    expect(objects.size).toBe(0);
    expect(events).toEqual(['reserve upload_1', 'release upload_1']);
  });

  test('are not kept if they cannot be stored', async () => {
    const problem = new Error('disk full');
    const { options, events } = watchedStore({ putNew: () => Promise.reject(problem) });
    await using staging = new Staging('upload_1', options);
    await staging.add(small);
    await expect(staging.storeAll()).rejects.toMatchObject({ cause: problem });
    expect(events).toEqual(['reserve upload_1']);
  });

  test('wait for no database that is down, and others are not stored without it', async () => {
    const { options, objects } = watchedStore();
    const down = { ...options, reserve: () => Promise.reject(new Error('down')) };
    await using staging = new Staging('upload_1', down);
    await staging.add(small);
    await expect(staging.add(files[0]!)).rejects.toThrow('down');
    expect({ hasObjects: staging.hasObjects, stored: objects.size }).toEqual({
      hasObjects: false,
      stored: 0,
    });
  });
});

test('the bytes of fragments are freed when their file is stored, and stay when it is not', async () => {
  const own = async () =>
    (await collect(cutFiles(asSource([fragmentOf(bulkyEntries(500, 0))]), () => 500)))[0]!;
  const [stored, lost] = [await own(), await own()];
  const { options, objects } = watchedStore();
  await using staging = new Staging('upload_1', options);
  await staging.add(stored);
  await staging.settle();
  expect(stored.fragments[0]!.deflated.byteLength).toBe(0);
  expect(objects.get('uploads/upload_1/1.xml.gz')!.length).toBe(stored.gzipBytes);

  const { options: broken } = watchedStore({ putNew: () => Promise.reject(new Error('late')) });
  await using second = new Staging('upload_2', broken);
  await second.add(lost);
  await expect(second.settle()).rejects.toThrow('could not be stored');
  expect(lost.fragments[0]!.deflated.byteLength).toBeGreaterThan(0);
});

describe('hashes of large files', () => {
  /** A file of 10 fragments, each with the hashes of 1,000 entries. */
  const large = (n: number, origin: string | undefined = 'https://example.com') => {
    const { parts, gzipBytes, ...rest } = files[n]!;
    const fragment = { ...fragments[n]!, entries: 1000, origin };
    const ten = Array.from({ length: 10 }, () => ({ ...fragment, hashes: new Uint8Array(12_000) }));
    return { ...rest, parts, gzipBytes, entries: 10_000, fragments: ten };
  };
  const stage = async (
    store: ReturnType<typeof watchedStore>,
    staged: readonly ReturnType<typeof large>[],
  ) => {
    await using staging = new Staging('upload_1', store.options);
    for (const file of staged) await staging.add(file);
    await staging.settle();
    return [...store.objects.keys()].map((key) => key.replace('uploads/upload_1/', '')).sort();
  };

  test('are stored from the second one on, those of the first one too, and deleted with the files', async () => {
    const store = watchedStore();
    expect(await stage(store, [large(0), large(1), large(2)])).toEqual(
      ['1.hashes', '1.xml.gz', '2.hashes', '2.xml.gz', '3.hashes', '3.xml.gz'].sort(),
    );
    expect(store.objects.size).toBe(0);
    expect(await stage(watchedStore(), [large(0)])).toEqual(['1.xml.gz']);
  });

  test('are not stored for entries of several origins', async () => {
    const mixed = {
      ...large(1),
      fragments: [...large(1).fragments.slice(1), large(1, 'https://b.example').fragments[0]!],
    };
    expect(await stage(watchedStore(), [large(0), mixed, large(2)])).not.toContain('2.hashes');
  });

  test('that are not stored fail the upload, and its objects are left to the sweep', async () => {
    const store = watchedStore({
      putNew: (key) => (key.endsWith('2.hashes') ? Promise.reject(new Error('no')) : Promise.resolve()),
    });
    await expect(stage(store, [large(0), large(1)])).rejects.toThrow('a file could not be stored');
    expect(store.events).toEqual(['reserve upload_1']);
  });

  test('are freed when they are stored, and when they are not needed', async () => {
    const [first, second] = [large(0), large(1)];
    await stage(watchedStore(), [first, second]);
    const mixed = {
      ...large(2),
      fragments: large(2).fragments.map((one, i) => ({ ...one, origin: `https://${i}.example` })),
    };
    await stage(watchedStore(), [mixed]);
    for (const { fragments: all } of [first, second, mixed]) {
      expect(all.map(({ hashes }) => hashes.byteLength)).toEqual(Array(10).fill(0));
    }
  });
});

describe('all stagings of a process share their room', () => {
  const large = () => ({ ...fragments[0]!, deflated: Buffer.alloc(LARGE_FILE_BYTES + 1) });
  const isPending = (promise: Promise<unknown>) =>
    Promise.race([promise.then(() => false), new Promise((end) => setImmediate(() => end(true)))]);

  test('an account makes two large files at once, and the next one when one of them is stored or given up', async () => {
    const { promise: stored, resolve: store } = Promise.withResolvers<void>();
    const { options } = watchedStore({ putNew: () => stored });
    await using first = new Staging('upload_1', options);
    const second = new Staging('upload_2', options);
    await using third = new Staging('upload_3', options);
    await using fourth = new Staging('upload_4', options);
    await using other = new Staging('upload_5', { ...options, accountId: 'account_2' });
    await first.grow(large());
    await second.grow(large());
    const grows = [third.grow(large()), fourth.grow(large())] as const;
    await other.grow(large());
    expect(await isPending(grows[0])).toBe(true);
    await first.add(files[0]!);
    expect(await isPending(grows[0])).toBe(true);
    store();
    await grows[0];
    expect(await isPending(grows[1])).toBe(true);
    await second[Symbol.asyncDispose]();
    await grows[1];
  });

  test('a staging that is given up while it waits for a place leaves it to the next one', async () => {
    const { options } = watchedStore();
    const stagings = [1, 2, 3].map((n) => new Staging(`upload_${n}`, options));
    const grows = stagings.map((staging) => staging.grow(large()));
    expect(await isPending(grows[2]!)).toBe(true);
    for (const staging of stagings) await staging[Symbol.asyncDispose]();
    await Promise.all(grows);
    await using next = new Staging('upload_4', options);
    await next.grow(large());
  });

  test('while others wait for a slow store, an upload stores one file at a time', async () => {
    const { promise: stored, resolve: store } = Promise.withResolvers<void>();
    const { options } = watchedStore({ putNew: () => stored });
    options.room.putBytes = Number.MAX_SAFE_INTEGER / 2;
    await using staging = new Staging('upload_1', options);
    await staging.add(files[0]!);
    const second = staging.add(files[1]!);
    expect(await isPending(second)).toBe(true);
    store();
    await second;
  });
});
