import { Readable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { GuardedStorage, StoreUnavailable } from '../../../src/edges/hosting/lookup/guarded-storage.ts';
import type { StoredObject } from '../../../src/platform/storage/object-storage.ts';
import { once, SOON } from '../../support/soon.ts';

/** A guarded storage whose every `get` is this function. */
function guarding(get: () => Promise<StoredObject | undefined>, timeoutMs = 60_000) {
  const reported: Error[] = [];
  const storage = new GuardedStorage({
    storage: { get, getIfChanged: get },
    timeoutMs,
    report: (failure) => reported.push(failure),
  });
  return { storage, reported };
}

const objectOf =
  (body: Readable, bytes = 3) =>
  async () => ({ bytes, objectBytes: bytes, body, version: undefined });

test('an absent object is an answer, not a failure', async () => {
  const { storage, reported } = guarding(async () => undefined);
  expect(await storage.read('a')).toBeUndefined();
  expect(await storage.readIfChanged('a', 'v')).toBeUndefined();
  expect(reported).toEqual([]);
});

test('a failure is reported with the key and its cause', async () => {
  const cause = new Error('refused');
  const { storage, reported } = guarding(() => Promise.reject(cause));
  await expect(storage.read('a')).rejects.toThrow(StoreUnavailable);
  expect(reported).toEqual([new StoreUnavailable('could not read object a', { cause })]);
});

test('an object of fewer bytes than announced is a failure', async () => {
  const { storage } = guarding(objectOf(Readable.from([Buffer.from('ab')])));
  await expect(storage.read('a')).rejects.toThrow(StoreUnavailable);
});

test('an object that arrives after the deadline is closed', async () => {
  const body = Readable.from([Buffer.from('abc')]);
  const { promise, resolve } = Promise.withResolvers<StoredObject>();
  const { storage } = guarding(() => promise, 1);
  await expect(storage.read('a')).rejects.toThrow(StoreUnavailable);
  resolve({ bytes: 3, objectBytes: 3, body, version: undefined });
  await once(body, 'close');
});

test('while hundreds of reads hang, further reads fail at once, until the store answers', async () => {
  const waiting: ((absent: undefined) => void)[] = [];
  const { storage } = guarding(() => new Promise((resolve) => waiting.push(resolve)), 1);
  const readMany = (count: number) =>
    Promise.allSettled(Array.from({ length: count }, () => storage.read('a')));
  await readMany(300);
  const outcomes = await readMany(1_000);
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
  expect(waiting).toHaveLength(300);
  for (const resolve of waiting.splice(0)) resolve(undefined);
  await vi.waitFor(async () => {
    await readMany(1);
    expect(waiting).toHaveLength(1);
  }, SOON);
});

test('a body that fails while it is read is a failure', async () => {
  const inner = new Readable({ read() {} });
  const { storage, reported } = guarding(objectOf(inner));
  const read = storage.read('a');
  inner.push('a');
  inner.destroy(new Error('reset'));
  await expect(read).rejects.toThrow(StoreUnavailable);
  expect(reported.length).toBe(1);
});

test('a body that stalls fails after the deadline and is closed', async () => {
  const inner = new Readable({ read() {} });
  inner.push('a');
  const { storage } = guarding(objectOf(inner), 1);
  await expect(storage.read('a')).rejects.toThrow(StoreUnavailable);
  if (!inner.closed) await once(inner, 'close');
});

test('JSON that cannot be parsed is a failure', () => {
  const { storage } = guarding(async () => undefined);
  const schema = z.object({ a: z.int() });
  expect(storage.parse('k', Buffer.from('{"a":1}'), schema)).toEqual({ a: 1 });
  for (const json of ['{', '{"a":"1"}', '']) {
    expect(() => storage.parse('k', Buffer.from(json), schema)).toThrow(StoreUnavailable);
  }
});
