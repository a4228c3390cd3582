/** The contract of every object storage. Each implementation's test file runs it. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  type ObjectStorage,
  readBody,
  readObject,
  type Version,
} from '../../../src/platform/storage/object-storage.ts';
import { collect } from '../../support/collect.ts';

export interface StorageUnderTest {
  readonly storage: ObjectStorage;
  /** The same kind of storage, with an unreachable store. */
  readonly unreachable: ObjectStorage;
  /** Begins to put an object into `storage` and breaks off. Rejects. */
  readonly interruptedPut: (put: 'put' | 'putNew', key: string, content: Buffer) => Promise<void>;
}

export function testObjectStorage(open: () => Promise<StorageUnderTest>): void {
  let opened: Promise<StorageUnderTest> | undefined;
  const given = () => {
    opened ??= open();
    return opened;
  };
  const storage = async () => (await given()).storage;
  const keysWith = async (prefix: string) =>
    (await collect((await storage()).list(prefix))).map(({ key }) => key).sort();

  describe.each(['put', 'putNew'] as const)('an object stored by %s', (put) => {
    test('reads back as it was written, with its parts in order', async () => {
      const store = await storage();
      await store[put](`${put}/whole/a`, [Buffer.from('one '), Buffer.from('two '), Buffer.from('three')]);
      const object = await store.get(`${put}/whole/a`);
      expect(object?.bytes).toBe(13);
      expect(Buffer.concat(await object!.body.toArray()).toString()).toBe('one two three');
    });

    test('read whole or in part, has memory of exactly its size: whoever keeps it keeps nothing else', async () => {
      const store = await storage();
      for (const bytes of [300, 20_000, 600_000]) {
        const key = `${put}/exact/${bytes}`;
        const content = randomBytes(bytes);
        await store[put](key, [content]);
        const whole = await readObject(store, key);
        expect(whole?.equals(content)).toBe(true);
        expect(whole?.buffer.byteLength).toBe(bytes);
        const part = await readBody((await store.get(key, { offset: 100, length: 150 }))!, key);
        expect(part.equals(content.subarray(100, 250))).toBe(true);
        expect(part.buffer.byteLength).toBe(150);
      }
    });

    test('may be empty', async () => {
      const store = await storage();
      for (const [key, parts] of [
        [`${put}/empty/none`, []],
        [`${put}/empty/one`, [Buffer.alloc(0)]],
      ] as const) {
        await store[put](key, parts);
        expect(await readObject(store, key)).toEqual(Buffer.alloc(0));
        expect(await store.head(key)).toMatchObject({ key, bytes: 0 });
      }
    });

    test('may be tens of MiB in parts of several MiB', async () => {
      const store = await storage();
      const parts = Array.from({ length: 5 }, () => randomBytes(8 * 1024 * 1024));
      await store[put](`${put}/large`, parts);
      const read = await readObject(store, `${put}/large`);
      expect(read?.equals(Buffer.concat(parts))).toBe(true);
    });

    test('may have thousands of small parts, some of them empty', async () => {
      const store = await storage();
      const parts = Array.from({ length: 5000 }, (_, i) => Buffer.from(`${i};`.repeat(i % 3)));
      await store[put](`${put}/parts`, parts);
      expect((await readObject(store, `${put}/parts`))?.equals(Buffer.concat(parts))).toBe(true);
    });

    test('may be one of many that arrive at once', async () => {
      const store = await storage();
      const keys = Array.from({ length: 50 }, (_, n) => `${put}/many/${n % 5}/${n}`).sort();
      await Promise.all(keys.map((key) => store[put](key, [Buffer.from(key)])));
      expect(await keysWith(`${put}/many/`)).toEqual(keys);
      for (const key of keys) expect((await readObject(store, key))?.toString()).toBe(key);
    });
  });

  describe('an object', () => {
    test('has a size and an age', async () => {
      const store = await storage();
      const before = Date.now();
      await store.put('described', [Buffer.from('12345')]);
      const description = await store.head('described');
      expect(description).toMatchObject({ key: 'described', bytes: 5 });
      // Stores keep whole seconds. A minute allows for clocks that differ.
      expect(Math.abs(description!.modifiedAt.getTime() - before)).toBeLessThan(60_000);
    });

    test('reads as old or new while it is overwritten: never torn, never missing', async () => {
      const store = await storage();
      const version = (n: number) => Buffer.alloc(300_000 + n, n);
      await store.put('switch', [version(0)]);
      let isWritten = false;
      const write = async () => {
        for (let n = 1; n <= 25; n++)
          await store.put('switch', [version(n).subarray(0, 100_000), version(n).subarray(100_000)]);
        isWritten = true;
      };
      const read = async () => {
        let newest = 0;
        while (!isWritten) {
          const found = await readObject(store, 'switch');
          const n = found?.[0] ?? -1;
          expect(found?.equals(version(n))).toBe(true);
          expect(n).toBeGreaterThanOrEqual(newest);
          newest = n;
          expect((await store.head('switch'))?.bytes).toBeGreaterThanOrEqual(300_000 + n);
        }
      };
      await Promise.all([write(), read(), read(), read()]);
      expect((await readObject(store, 'switch'))?.equals(version(25))).toBe(true);
    });

    test('keeps its state when a put breaks off half way: old, or absent', async () => {
      const store = await storage();
      const { interruptedPut } = await given();
      const half = randomBytes(6 * 1024 * 1024);
      await store.put('interrupted/old', [Buffer.from('old')]);
      await expect(interruptedPut('put', 'interrupted/old', half)).rejects.toThrow('could not store object');
      await expect(interruptedPut('put', 'interrupted/new', half)).rejects.toThrow('could not store object');
      await expect(interruptedPut('putNew', 'interrupted/new', half)).rejects.toThrow(
        'could not store object',
      );
      expect((await readObject(store, 'interrupted/old'))?.toString()).toBe('old');
      expect(await store.get('interrupted/new')).toBeUndefined();
      expect(await keysWith('interrupted/')).toEqual(['interrupted/old']);
      // The interrupted put does not block the next one.
      await store.put('interrupted/new', [Buffer.from('new')]);
      expect((await readObject(store, 'interrupted/new'))?.toString()).toBe('new');
    });

    test('is whole after several writers at once', async () => {
      const store = await storage();
      const versions = Array.from({ length: 8 }, (_, n) => Buffer.alloc(100_000, n));
      await Promise.all(versions.map((bytes) => store.put('contested', [bytes])));
      const found = await readObject(store, 'contested');
      expect(versions.some((bytes) => found?.equals(bytes))).toBe(true);
    });

    test.each([
      'names/with space',
      'names/plus+percent%20and&=;',
      'names/ünï→😀',
      'names/quotes\'"<>`$()[]{}',
      'names/back\\slash',
      'names/dots..and...dots',
      'names/0123',
      'names/1e3',
      'names/%2F%00encoded',
      'names/a&amp;b<c>',
      'names/trailing space ',
      `names/${'x'.repeat(250)}`,
      `names/${'deep/'.repeat(30)}end`,
    ])('may be called %j', async (key) => {
      const store = await storage();
      await store.put(key, [Buffer.from(key)]);
      expect((await readObject(store, key))?.toString()).toBe(key);
      expect(await store.head(key)).toMatchObject({ key });
      expect(await keysWith(key)).toEqual([key]);
      await store.deleteMany([key]);
      expect(await store.get(key)).toBeUndefined();
    });
  });

  describe('a range', () => {
    const content = Buffer.from('0123456789');
    test.each([
      [0, 10],
      [0, 1],
      [3, 4],
      [9, 1],
      [4, 0],
    ])('from %i of %i bytes is exactly that', async (offset, length) => {
      const store = await storage();
      await store.put('ranged', [content]);
      const object = await store.get('ranged', { offset, length });
      expect(object?.bytes).toBe(length);
      expect(Buffer.concat(await object!.body.toArray())).toEqual(content.subarray(offset, offset + length));
    });

    test('past the end is an error, and of a missing object an absence', async () => {
      const store = await storage();
      await store.put('ranged', [content]);
      await expect(store.get('ranged', { offset: 8, length: 3 })).rejects.toThrow();
      await expect(store.get('ranged', { offset: 20, length: 1 })).rejects.toThrow();
      expect(await store.get('not/ranged', { offset: 0, length: 1 })).toBeUndefined();
      expect(await store.get('not/ranged', { offset: 0, length: 0 })).toBeUndefined();
    });
  });

  describe('a version', () => {
    const put = async (key: string, text: string) => (await storage()).put(key, [Buffer.from(text)]);
    const versionOf = async (key: string) => {
      const object = await (await storage()).get(key);
      object?.body.resume();
      return object?.version ?? 'none';
    };
    const readIfChanged = async (key: string, version: string) => {
      const answer = await (await storage()).getIfChanged(key, version);
      if (answer === undefined || answer === 'unchanged') return answer;
      const bytes = Buffer.concat(await answer.body.toArray());
      expect(bytes.length).toBe(answer.bytes);
      return { text: bytes.toString(), version: answer.version };
    };

    test('shows that an object is unchanged, and then no bytes are sent', async () => {
      await put('version/same', 'one');
      const version = await versionOf('version/same');
      expect(await readIfChanged('version/same', version)).toBe('unchanged');
      // More often than there are connections to the store.
      for (let i = 0; i < 100; i++) expect(await readIfChanged('version/same', version)).toBe('unchanged');
    });

    test('differs for other bytes, even of the same length', async () => {
      await put('version/other', 'one');
      const first = await versionOf('version/other');
      await put('version/other', 'two');
      const second = await versionOf('version/other');
      expect(await readIfChanged('version/other', first)).toEqual({ text: 'two', version: second });
      expect(await readIfChanged('version/other', second)).toBe('unchanged');
    });

    test('of a deleted object finds nothing, and finds the object when it returns', async () => {
      await put('version/gone', 'one');
      const version = await versionOf('version/gone');
      await (await storage()).deleteMany(['version/gone']);
      expect(await readIfChanged('version/gone', version)).toBeUndefined();
      await put('version/gone', 'two');
      expect(await readIfChanged('version/gone', version)).toMatchObject({ text: 'two' });
    });
  });

  describe('a put if unchanged', () => {
    const key = (name: string) => `unchanged/${name}`;
    const putOver = async (name: string, text: string, former: Version | undefined) =>
      (await storage()).putIfUnchanged(
        key(name),
        [Buffer.from(text.slice(0, 1)), Buffer.from(text.slice(1))],
        former,
      );
    const read = async (name: string) => {
      const object = await (await storage()).get(key(name));
      return object && { version: object.version, text: (await readBody(object, name)).toString() };
    };

    test('stores if nothing is there, and then no more', async () => {
      expect(await putOver('new', 'one', undefined)).toBe(true);
      expect(await putOver('new', 'two', undefined)).toBe(false);
      expect((await read('new'))?.text).toBe('one');
    });

    test('of several at once for one new key, one stores', async () => {
      for (let round = 0; round < 20; round++) {
        const name = `at-once/${round}`;
        const texts = Array.from({ length: 8 }, (_, index) => `text ${index}`);
        const stored = await Promise.all(texts.map((text) => putOver(name, text, undefined)));
        expect(stored.filter(Boolean)).toHaveLength(1);
        expect((await read(name))?.text).toBe(texts[stored.indexOf(true)]);
      }
    });

    test('stores over the version that was read, and not over a later one', async () => {
      await putOver('over', 'one', undefined);
      const first = await read('over');
      expect(await putOver('over', 'two', first)).toBe(true);
      expect(await putOver('over', 'three', first)).toBe(false);
      const second = await read('over');
      expect(second?.text).toBe('two');
      expect(await putOver('over', 'three', second)).toBe(true);
      expect((await read('over'))?.text).toBe('three');
    });

    test('stores nothing if the version that was read is gone', async () => {
      await putOver('gone', 'one', undefined);
      const first = await read('gone');
      await (await storage()).deleteMany([key('gone')]);
      expect(await putOver('gone', 'two', first)).toBe(false);
      expect(await read('gone')).toBeUndefined();
    });

    test('stores over an object without a version', async () => {
      await putOver('any', 'one', undefined);
      expect(await putOver('any', 'two', { version: undefined })).toBe(true);
      expect((await read('any'))?.text).toBe('two');
    });

    test('needs no more connections than there are, whether it stores or not', async () => {
      for (let i = 0; i < 100; i++) {
        expect(await putOver('often', `round ${i}`, await read('often'))).toBe(true);
        expect(await putOver('often', 'again', undefined)).toBe(false);
      }
    });
  });

  describe('a list', () => {
    test('has all written objects with sizes, right after the write', async () => {
      const store = await storage();
      const keys = ['listed/1', 'listed/2/a', 'listed/b/c/d', 'listedx'];
      for (const key of keys) {
        await store.put(key, [Buffer.from(key)]);
        expect(await keysWith('listed')).toContain(key);
      }
      const descriptions = await collect(store.list('listed/'));
      for (const { key, bytes, modifiedAt } of descriptions) {
        expect(bytes).toBe(key.length);
        expect(modifiedAt).toBeInstanceOf(Date);
      }
      expect(await keysWith('listed/')).toEqual(['listed/1', 'listed/2/a', 'listed/b/c/d']);
      await store.deleteMany(['listed/1']);
      expect(await keysWith('listed/')).not.toContain('listed/1');
    });

    test('takes a prefix that ends in the middle of a name', async () => {
      const store = await storage();
      for (const key of ['middle/abc/x', 'middle/abd', 'middle/b']) await store.put(key, [Buffer.from('.')]);
      expect(await keysWith('middle/ab')).toEqual(['middle/abc/x', 'middle/abd']);
      expect(await keysWith('midd')).toEqual(['middle/abc/x', 'middle/abd', 'middle/b']);
      expect(await keysWith('middle/abc/')).toEqual(['middle/abc/x']);
      expect(await keysWith('middle/zzz')).toEqual([]);
      expect(await keysWith('nothing/here/')).toEqual([]);
    });

    test('is complete for more objects than a store returns at once', async () => {
      const store = await storage();
      const keys = Array.from({ length: 1100 }, (_, i) => `many/${String(i).padStart(4, '0')}`);
      for (let i = 0; i < keys.length; i += 50) {
        await Promise.all(keys.slice(i, i + 50).map((key) => store.put(key, [Buffer.from('.')])));
      }
      expect(await keysWith('many/')).toEqual(keys);
      await store.deleteMany(keys.slice(0, 1000));
      expect(await keysWith('many/')).toEqual(keys.slice(1000));
    });

    test('is empty after deleting more keys than a store deletes at once', async () => {
      const store = await storage();
      const there = Array.from({ length: 60 }, (_, i) => `crowd/${i * 40}`);
      await Promise.all(there.map((key) => store.put(key, [Buffer.from('.')])));
      await store.put('crowd/stays', [Buffer.from('.')]);
      await store.deleteMany(Array.from({ length: 2400 }, (_, i) => `crowd/${i}`));
      expect(await keysWith('crowd/')).toEqual(['crowd/stays']);
    });
  });

  describe('a missing object', () => {
    test('is undefined to get and head', async () => {
      const store = await storage();
      expect(await store.get('missing/a')).toBeUndefined();
      expect(await store.head('missing/a')).toBeUndefined();
    });

    test('stays missing if its key is only the beginning of other keys', async () => {
      const store = await storage();
      await store.put('begin/of/a/key', [Buffer.from('x')]);
      for (const key of ['begin', 'begin/of', 'begin/of/a/key/on']) {
        expect(await store.get(key)).toBeUndefined();
        expect(await store.head(key)).toBeUndefined();
      }
    });

    test('can be deleted like any other', async () => {
      const store = await storage();
      await store.put('deleted/a', [Buffer.from('x')]);
      await store.put('deleted/b', [Buffer.from('x')]);
      await store.deleteMany(['deleted/a', 'deleted/never', 'not/here/either', 'deleted/b']);
      expect(await keysWith('deleted/')).toEqual([]);
      await store.deleteMany([]);
    });
  });

  test('bodies that are not read to their end cost nothing', async () => {
    const store = await storage();
    await store.put('abandoned', [Buffer.alloc(4 * 1024 * 1024, 1)]);
    for (let i = 0; i < 100; i++) {
      const object = await store.get('abandoned');
      object?.body.on('error', () => {}).destroy();
    }
    expect((await readObject(store, 'abandoned'))?.length).toBe(4 * 1024 * 1024);
  });

  test('an outage is an error and not an absence, for every operation', async () => {
    const { unreachable } = await given();
    const attempts = {
      put: unreachable.put('a/b', [Buffer.from('x')]),
      putNew: unreachable.putNew('a/c', [Buffer.from('x')]),
      putIfUnchanged: unreachable.putIfUnchanged('a/d', [Buffer.from('x')], undefined),
      get: unreachable.get('a/b'),
      'get of a range': unreachable.get('a/b', { offset: 0, length: 0 }),
      getIfChanged: unreachable.getIfChanged('a/b', '"a"'),
      head: unreachable.head('a/b'),
      deleteMany: unreachable.deleteMany(['a/b']),
      list: collect(unreachable.list('a/')),
    };
    const ends = await Promise.allSettled(Object.values(attempts));
    const succeeded = Object.keys(attempts).filter((_, i) => ends[i]?.status === 'fulfilled');
    expect(succeeded).toEqual([]);
  });
}
