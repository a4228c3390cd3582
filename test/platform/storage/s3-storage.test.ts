import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { listen } from '../../../src/platform/http/http-server.ts';
import { Secret } from '../../../src/platform/secret.ts';
import { readObject } from '../../../src/platform/storage/object-storage.ts';
import { createS3Storage, type S3Deadlines } from '../../../src/platform/storage/s3-storage.ts';
import { collect } from '../../support/collect.ts';

/** For our own server that plays the store. */
const optionsFor = (port: number) => ({
  endpoint: `http://127.0.0.1:${port}`,
  region: 'us-east-1',
  bucket: 'bucket',
  accessKey: new Secret('access'),
  secretKey: new Secret('secret'),
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

/** The traps of the minio client, if we used it as its README does. */
describe('the traps of the client', () => {
  interface Asked {
    readonly method: string | undefined;
    readonly url: string;
    readonly headers: IncomingMessage['headers'];
    readonly bytes: number;
  }
  type Answer = (request: Asked, response: ServerResponse) => void;

  /** A server that plays the store, and counts. */
  async function startStore(answer: Answer, deadlines?: S3Deadlines) {
    const asked: Asked[] = [];
    const server = createServer((request, response) => {
      let bytes = 0;
      request.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      request.on('end', () => {
        asked.push({ method: request.method, url: request.url ?? '', headers: request.headers, bytes });
        answer(asked.at(-1)!, response);
      });
    });
    const counts = { connections: 0, open: 0 };
    server.on('connection', (socket) => {
      counts.connections += 1;
      counts.open += 1;
      socket.on('close', () => {
        counts.open -= 1;
      });
    });
    const port = await listen(server, { address: '127.0.0.1', port: 0, variable: '' });
    const storage = createS3Storage(optionsFor(port), deadlines);
    return {
      storage,
      asked,
      counts,
      [Symbol.dispose]() {
        storage[Symbol.dispose]();
        server.close().closeAllConnections();
      },
    };
  }

  // Long enough for a request to arrive on a busy machine.
  const SHORT: S3Deadlines = { attemptTimeoutMs: 3000, stallTimeoutMs: 10_000 };
  const PATIENT: S3Deadlines = { attemptTimeoutMs: 60_000, stallTimeoutMs: 60_000 };
  const page = (keys: readonly string[], next?: string) => {
    const contents = keys.map(
      (key) =>
        `<Contents><Key>${key}</Key><Size>1</Size><LastModified>2026-01-15T10:00:00Z</LastModified></Contents>`,
    );
    const more = next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`;
    return `<ListBucketResult><IsTruncated>${next !== undefined}</IsTruncated>${more}${contents.join('')}</ListBucketResult>`;
  };

  test('multipart uploads and their resumption are never used: every object is one request of known size', async () => {
    using store = await startStore((_request, response) => response.setHeader('ETag', '"e"').end());
    const large = Buffer.alloc(66 * 1024 * 1024);
    for (const content of [Buffer.alloc(0), Buffer.from('x'), large]) {
      await store.storage.put('a', [content.subarray(0, 1), content.subarray(1)]);
    }
    expect(
      store.asked.map(({ method, url, bytes, headers }) => ({ method, url, bytes, ...headers })),
    ).toMatchObject(
      [0, 1, large.length].map((bytes) => ({
        method: 'PUT',
        url: '/bucket/a',
        bytes,
        'content-length': String(bytes),
      })),
    );
    for (const { headers } of store.asked) expect(headers).not.toHaveProperty('transfer-encoding');
  });

  test('the missing timeout is added: each attempt of every operation has a deadline', async () => {
    using store = await startStore(() => {}, SHORT);
    const ends = await Promise.allSettled([
      store.storage.put('a', []),
      store.storage.putIfUnchanged('a', [], undefined),
      store.storage.get('a'),
      store.storage.getIfChanged('a', '"a"'),
      store.storage.head('a'),
      store.storage.deleteMany(['a']),
      collect(store.storage.list('a/')),
    ]);
    for (const end of ends) {
      expect(end).toMatchObject({
        status: 'rejected',
        reason: { cause: { message: 'the object store did not answer within 3000 ms' } },
      });
    }
    // A hanging store gets two attempts of each.
    expect(store.asked).toHaveLength(ends.length * 2);
    await expect.poll(() => store.counts.open).toBe(0);
  });

  test('a put has extra time for its bytes, so that a slow store is not abandoned', async () => {
    using store = await startStore((_request, response) => {
      setTimeout(() => response.setHeader('ETag', '"e"').end(), 2 * SHORT.attemptTimeoutMs);
    }, SHORT);
    await store.storage.put('a', [Buffer.alloc(256 * 1024)]);
    expect(store.asked).toHaveLength(1);
  });

  test('a list that breaks off in its answer is asked for again', async () => {
    const answers = [page(['a/1', 'a/2'], 'next'), page(['a/3'])];
    let isCut = false;
    using store = await startStore((request, response) => {
      const answer = answers[request.url.includes('continuation-token') ? 1 : 0]!;
      if (request.url.includes('continuation-token') && !isCut) {
        isCut = true;
        response.writeHead(200, { 'Content-Length': answer.length });
        response.write(answer.slice(0, -10), () => response.destroy());
      } else response.end(answer);
    }, PATIENT);
    const listed = await collect(store.storage.list('a/'));
    expect(listed.map(({ key }) => key)).toEqual(['a/1', 'a/2', 'a/3']);
    expect(store.asked).toHaveLength(3);
  });

  test('a list continues after a page token of digits, and a missing token is an error', async () => {
    using store = await startStore((request, response) => {
      const isNext = request.url.includes('continuation-token=1234');
      response.end(isNext ? page(['a/2']) : page(['a/1'], '1234'));
    });
    const listed = await collect(store.storage.list('a/'));
    expect(listed.map(({ key }) => key)).toEqual(['a/1', 'a/2']);

    using silent = await startStore((_request, response) => response.end(page(['a/1'], '')));
    await expect(collect(silent.storage.list('a/'))).rejects.toThrow('no continuation token');
  });

  test('the unread answer of a failed attempt does not hold its connection', async () => {
    const seen = new Set<string>();
    using store = await startStore(({ url }, response) => {
      const isFirst = !seen.has(url);
      seen.add(url);
      // Larger than what Node buffers unasked.
      if (isFirst) response.writeHead(503).end(Buffer.alloc(1024 * 1024));
      else response.end('content');
    }, PATIENT);
    // More than there are connections.
    const keys = Array.from({ length: 100 }, (_, i) => `a/${i}`);
    const read = await Promise.all(keys.map((key) => readObject(store.storage, key)));
    expect(read.every((content) => content?.toString() === 'content')).toBe(true);
  });

  test('connections are reused after every kind of request and answer', async () => {
    using store = await startStore(({ method, url, headers }, response) => {
      response.setHeader('ETag', '"e"');
      if (method === 'HEAD') response.setHeader('Content-Length', 7).end();
      else if (url.includes('missing')) {
        response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
      } else if (headers['if-none-match'] !== undefined) response.writeHead(304).end();
      else if (url.includes('list-type=2')) response.end(page(['a/1']));
      else if (url.includes('delete')) response.end('<DeleteResult></DeleteResult>');
      else response.end('content');
    });
    const { storage } = store;
    for (let i = 0; i < 5; i++) {
      await storage.put(`a/${i}`, [Buffer.from('x')]);
      expect((await readObject(storage, 'a/1'))?.toString()).toBe('content');
      expect(await storage.getIfChanged('a/1', '"e"')).toBe('unchanged');
      expect(await storage.head('a/1')).toMatchObject({ key: 'a/1' });
      expect(await storage.get('missing')).toBeUndefined();
      await storage.deleteMany(['a/1']);
      expect(await collect(storage.list('a/'))).toHaveLength(1);
    }
    expect(store.asked).toHaveLength(35);
    // A connection becomes free a moment after its answer was read, so the next request may need a second one.
    expect(store.counts.connections).toBeLessThanOrEqual(2);
  });

  test.each([
    ['with quotation marks', '"e"', ['"e"'], ''],
    ['without them', 'e', ['"e"', 'e'], '<Error><Code>PreconditionFailed</Code></Error>'],
    ['without them', 'e', ['"e"', 'e'], ''],
    ['neither, being another', '"new"', ['"e"', 'e'], '<Error><Code>PreconditionFailed</Code></Error>'],
  ])('entity tags are meant %s (%s, %j, "%s")', async (_, taken, asked, body) => {
    using store = await startStore(({ method, headers }, response) => {
      if (method === 'GET' || headers['if-match'] === taken) response.end();
      else response.writeHead(412).end(body);
    });
    const isStored = await store.storage.putIfUnchanged('a', [Buffer.from('x')], { version: '"e"' });
    expect(isStored).toBe(asked.includes(taken));
    const puts = store.asked.filter(({ method }) => method === 'PUT');
    expect(puts.map(({ headers }) => headers['if-match'])).toEqual(asked);
  });

  test('a store that refuses the condition of an unchanged object gets a put without it', async () => {
    using store = await startStore(({ headers }, response) => {
      const holds = headers['if-none-match'] === undefined;
      response.writeHead(headers['if-match'] !== undefined ? 412 : holds ? 200 : 304).end();
    });
    expect(await store.storage.putIfUnchanged('a', [Buffer.from('x')], { version: '"e"' })).toBe(true);
    const asked = store.asked.map(({ method, headers }) => `${method} ${headers['if-match'] ?? ''}`);
    expect(asked).toEqual(['PUT "e"', 'PUT e', 'GET ', 'PUT ']);
  });

  test('a store that takes a deleted object for a stored one gets a put without a condition', async () => {
    using store = await startStore(({ method, headers }, response) => {
      if (method !== 'PUT') response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
      else response.writeHead(headers['if-none-match'] === '*' ? 412 : 200).end();
    });
    expect(await store.storage.putIfUnchanged('a', [Buffer.from('x')], undefined)).toBe(true);
    expect(store.asked.map(({ method }) => method)).toEqual(['PUT', 'HEAD', 'GET', 'PUT']);
  });

  test.each(['', '<Error><Code>NotImplemented</Code></Error>'])(
    'a store that takes no conditions ("%s") gets requests without them',
    async (body) => {
      using store = await startStore(({ headers }, response) => {
        if (headers['if-match'] === undefined) response.end();
        else response.writeHead(501).end(body);
      });
      expect(await store.storage.putIfUnchanged('a', [Buffer.from('x')], { version: '"e"' })).toBe(true);
      expect(store.asked.map(({ headers }) => headers['if-match'])).toEqual(['"e"', undefined]);
    },
  );

  test.each(['', '<Error><Code>NotImplemented</Code></Error>'])(
    'a store that deletes no objects together ("%s") deletes them one by one',
    async (body) => {
      using store = await startStore(({ method, url }, response) => {
        if (method === 'POST') response.writeHead(501).end(body);
        else if (url.endsWith('gone')) response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
        else response.writeHead(204).end();
      });
      const keys = [...Array.from({ length: 20 }, (_, i) => `a/${i}`), 'gone'];
      await store.storage.deleteMany(keys);
      await store.storage.deleteMany(['b']);
      const asked = store.asked.map(({ method, url }) => `${method} ${url}`);
      expect(asked[0]).toBe('POST /bucket?delete');
      expect(asked.slice(1).sort()).toEqual([...keys, 'b'].map((key) => `DELETE /bucket/${key}`).sort());
    },
  );

  test('a store that deletes some objects only is asked again, and the error says why', async () => {
    using store = await startStore((_request, response) =>
      response.end(
        '<DeleteResult><Error><Key>a</Key><Code>AccessDenied</Code></Error><Error><Key>b</Key><Code>AccessDenied</Code></Error></DeleteResult>',
      ),
    );
    await expect(store.storage.deleteMany(['a', 'b', 'c'])).rejects.toMatchObject({
      cause: { message: 'the store did not delete 2 objects (AccessDenied)' },
    });
    expect(store.asked).toHaveLength(4);
  });

  test('a conditional put has the sum that a bucket with object lock asks for', async () => {
    using store = await startStore(({ headers }, response) => {
      if (headers['content-md5'] === 'ndTkYSaMgDT1yFZOFVxnpg==') response.end();
      else response.writeHead(400).end('<Error><Code>InvalidRequest</Code></Error>');
    });
    expect(await store.storage.putIfUnchanged('a', [Buffer.from('x')], undefined)).toBe(true);
  });

  test.each(['ConditionalRequestConflict', 'OperationAborted'])(
    'a put that collides with another one is tried again: %s',
    async (code) => {
      using store = await startStore((_request, response) => {
        if (store.asked.length > 1) response.end();
        else response.writeHead(409).end(`<Error><Code>${code}</Code></Error>`);
      });
      expect(await store.storage.putIfUnchanged('a', [Buffer.from('x')], undefined)).toBe(true);
      expect(store.asked.map(({ headers }) => headers['if-none-match'])).toEqual(['*', '*']);
    },
  );

  test('a 404 from something other than the store is an error and not an absence', async () => {
    using store = await startStore((_request, response) => response.writeHead(404).end(), PATIENT);
    await expect(store.storage.get('a')).rejects.toThrow('could not read object a');
    await expect(store.storage.head('a')).rejects.toThrow('could not look at object a');
  });
});

describe('a store that fails briefly', () => {
  /** Answers the first requests with these statuses, and later ones normally. */
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

  test('is abandoned after some attempts', async () => {
    using unwell = await startUnwell(Array(20).fill(503));
    await expect(unwell.storage.get('a')).rejects.toThrow('could not read object a');
    expect(unwell.left.length).toBeGreaterThan(10);
  });
});
