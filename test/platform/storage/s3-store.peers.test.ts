/** The contract of object storages in a real S3 store. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { Secret } from '../../../src/platform/secret.ts';
import type { ObjectStorage } from '../../../src/platform/storage/object-storage.ts';
import { createS3Storage } from '../../../src/platform/storage/s3-storage.ts';
import { findS3Store } from '../../../tools/s3-store.ts';
import { collect } from '../../support/collect.ts';
import { needs } from '../../support/needs.ts';
import { testObjectStorage } from './object-storage-contract.ts';

const NOTHING_LISTENS = 'http://127.0.0.1:1';

const store = await findS3Store();
afterAll(() => store?.[Symbol.asyncDispose]());

describe('object storage in S3', needs('an S3 store'), () => {
  testObjectStorage(async () => {
    const { options } = store!;
    const storage = createS3Storage(options);
    const unreachable = createS3Storage({ ...options, endpoint: NOTHING_LISTENS });
    afterAll(() => {
      storage[Symbol.dispose]();
      unreachable[Symbol.dispose]();
    });
    const interruptedPut = async (put: 'put' | 'putNew', key: string, content: Buffer) => {
      await using line = await startLineThatBreaks(options.endpoint, content.length / 2);
      using throughIt = createS3Storage({ ...options, endpoint: line.endpoint });
      await throughIt[put](key, [content]).finally(() => expect(line.broken).toBeGreaterThan(1));
    };
    return { storage, unreachable, interruptedPut };
  });

  test.each<[string, (storage: ObjectStorage) => Promise<unknown>]>([
    ['put', (storage) => storage.put('a', [Buffer.from('x')])],
    ['putIfUnchanged', (storage) => storage.putIfUnchanged('a', [Buffer.from('x')], { version: '"a"' })],
    ['get', (storage) => storage.get('a')],
    ['get of an empty range', (storage) => storage.get('a', { offset: 0, length: 0 })],
    ['getIfChanged', (storage) => storage.getIfChanged('a', '"a"')],
    ['head', (storage) => storage.head('a')],
    ['deleteMany', (storage) => storage.deleteMany(['a'])],
    ['list', (storage) => collect(storage.list('a/'))],
  ])('a bucket that does not exist is an error and not an absence to %s', async (_operation, operate) => {
    using storage = createS3Storage({ ...store!.options, bucket: 'no-such-bucket' });
    await expect(operate(storage)).rejects.toThrow(/^could not/);
  });

  test('a refused key is an error and not an absence', async () => {
    using storage = createS3Storage({ ...store!.options, secretKey: new Secret('wrong') });
    await expect(storage.get('a')).rejects.toThrow();
    await expect(storage.head('a')).rejects.toThrow();
  });
});

/** Breaks each connection to `endpoint` after this many bytes to it. */
async function startLineThatBreaks(endpoint: string, afterBytes: number) {
  const { hostname, port } = new URL(endpoint);
  const line = { endpoint: '', broken: 0 };
  const server = createServer((client) => {
    const store = connect(Number(port), hostname);
    const end = () => {
      client.destroy();
      store.destroy();
    };
    let left = afterBytes;
    client.on('data', (bytes) => {
      store.write(bytes.subarray(0, left), () => {
        if (left > 0) return;
        line.broken += 1;
        end();
      });
      left -= bytes.length;
    });
    store.pipe(client);
    for (const socket of [client, store]) socket.on('error', end).on('close', end);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  line.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(line, { [Symbol.asyncDispose]: async () => void server.close() });
}
