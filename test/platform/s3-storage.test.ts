import { createServer } from 'node:http';
import { afterAll, describe, expect, test } from 'vitest';
import { listen } from '../../src/platform/http-server.ts';
import { readObject } from '../../src/platform/object-storage.ts';
import { createS3Storage } from '../../src/platform/s3-storage.ts';
import { Secret } from '../../src/platform/secret.ts';
import { findS3Store } from '../support/s3-store.ts';
import { testObjectStorage } from './object-storage-contract.ts';

const NOTHING_LISTENS = 'http://127.0.0.1:1';

/** For a server of our own that plays the store. */
const optionsFor = (port: number) => ({
  endpoint: `http://127.0.0.1:${port}`,
  region: 'us-east-1',
  bucket: 'bucket',
  accessKey: new Secret('access'),
  secretKey: new Secret('secret'),
});

const store = await findS3Store();
afterAll(() => store?.[Symbol.asyncDispose]());

if (store === undefined) {
  process.stderr.write(
    '\n*** S3 IS NOT TESTED: set S3_TEST_ENDPOINT, S3_TEST_BUCKET, S3_TEST_ACCESS_KEY and S3_TEST_SECRET_KEY,\n' +
      '*** or install radosgw ceph-mon ceph-osd ceph-common (Debian).\n\n',
  );
}

describe.skipIf(store === undefined)('object storage in S3', () => {
  testObjectStorage(async () => {
    const { options } = store!;
    const storage = createS3Storage(options);
    const unreachable = createS3Storage({ ...options, endpoint: NOTHING_LISTENS });
    afterAll(() => {
      storage[Symbol.dispose]();
      unreachable[Symbol.dispose]();
    });
    return { storage, unreachable };
  });

  test('a bucket that does not exist is an error and no absence', async () => {
    using storage = createS3Storage({ ...store!.options, bucket: 'no-such-bucket' });
    // The answer to HEAD has no body, so `head` cannot tell.
    await expect(storage.get('a')).rejects.toThrow();
    await expect(storage.put('a', [Buffer.from('x')])).rejects.toThrow();
  });

  test('a key that is not accepted is an error and no absence', async () => {
    using storage = createS3Storage({ ...store!.options, secretKey: new Secret('wrong') });
    await expect(storage.get('a')).rejects.toThrow();
    await expect(storage.head('a')).rejects.toThrow();
  });
});

test('a version is an entity tag, and 304 means unchanged', async () => {
  const asked: unknown[] = [];
  const server = createServer(({ headers }, response) => {
    asked.push(headers['if-none-match']);
    const isSame = headers['if-none-match'] === '"one"';
    response.statusCode = isSame ? 304 : 200;
    response.setHeader('ETag', '"one"').end(isSame ? undefined : 'content');
  });
  using cleanUp = new DisposableStack();
  cleanUp.defer(() => server.close().closeAllConnections());
  const port = await listen(server, { address: '127.0.0.1', port: 0, variable: '' });
  const storage = cleanUp.use(createS3Storage(optionsFor(port)));
  const object = await storage.get('a');
  object?.body.resume();
  expect(object?.version).toBe('"one"');
  expect(await storage.getIfChanged('a', '"one"')).toBe('unchanged');
  expect(await storage.getIfChanged('a', '"old"')).toMatchObject({ bytes: 7, version: '"one"' });
  expect(asked).toEqual([undefined, '"one"', '"old"']);
});

describe('a store that is briefly unwell', () => {
  /** Answers the first requests with these statuses, and the others well. */
  async function startUnwell(statuses: readonly number[]) {
    const left = [...statuses];
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        const status = left.shift();
        if (status === undefined) response.end('content');
        else if (status === 0) request.socket.destroy();
        else response.writeHead(status).end();
      });
    });
    const port = await listen(server, { address: '127.0.0.1', port: 0, variable: '' });
    const storage = createS3Storage(optionsFor(port));
    return {
      storage,
      left,
      [Symbol.dispose]() {
        storage[Symbol.dispose]();
        server.close().closeAllConnections();
      },
    };
  }

  test.each([[[503]], [[500, 503]], [[0]]])('(%j) is asked again', async (statuses) => {
    using unwell = await startUnwell(statuses);
    expect((await readObject(unwell.storage, 'a'))?.toString()).toBe('content');
    expect(unwell.left).toEqual([]);
  });

  test('is given up on after some attempts', async () => {
    using unwell = await startUnwell(Array(20).fill(503));
    await expect(unwell.storage.get('a')).rejects.toThrow('could not read object a');
    expect(unwell.left.length).toBeGreaterThan(10);
  });
});
