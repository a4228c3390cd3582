/** `import { Waypost } from 'waypost'`, from the source. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Entry, Waypost, WaypostError } from '../../client/src/client.ts';
import { collect } from '../support/collect.ts';
import { SOON } from '../support/soon.ts';
import { API_KEY, startFakeWaypost } from './support/fake-waypost.ts';
import { PUBLISHED, UPLOAD } from './support/published.ts';

const server = await startFakeWaypost();
const waypost = new Waypost({ apiKey: API_KEY, url: server.url });
const DOMAIN = 'maps.example.com';

async function* entries(count: number, onPull: (index: number) => void = () => {}) {
  for (let index = 0; index < count; index++) {
    onPull(index);
    yield { loc: `https://www.example.com/${index}`, priority: 0.5 };
  }
}

const linesOf = async (count: number) =>
  (await collect(entries(count))).map((entry) => `${JSON.stringify(entry)}\n`).join('');

function publish(): void {
  server.play(async (_seen, request) => {
    await request.whole();
    return { data: PUBLISHED };
  });
}

test('a domain may be named by its id everywhere', async () => {
  server.play(async ({ route }, { whole }) => {
    await whole();
    return { data: route === 'GET /api/domains/domain_1' ? { id: 'domain_1', hostname: DOMAIN } : PUBLISHED };
  });
  await waypost.upload('domain_1', [{ loc: 'https://www.example.com/' }]);
  await waypost.session('domain_1');
  await waypost.load('domain_1', ['https://www.example.com/robots.txt']);
  await waypost.delta('domain_1', { remove: ['https://www.example.com/'] });
  await waypost.find('https://www.example.com/', { domain: 'domain_1' });
  const asked = server.seen.filter(({ route }) => route !== 'GET /api/domains/domain_1');
  expect(asked).toHaveLength(5);
  for (const { query, body } of asked) expect(query.domain ?? JSON.parse(String(body)).domain).toBe(DOMAIN);
});

test('a deletion whose answer was lost has happened if nothing is there afterwards', async () => {
  const gone = { status: 404, error: { code: 'NOT_FOUND', message: 'No such domain.' } };
  let requests = 0;
  server.play(() => (++requests === 1 ? 'drop' : gone));
  await waypost.deleteDomain('domain_1');
  expect(requests).toBe(2);
  await expect(waypost.deleteDomain('domain_1')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('an undefined option of an upload leaves that of the client', async () => {
  let requests = 0;
  server.play(() => {
    requests++;
    return { status: 500, error: { code: 'INTERNAL_ERROR', message: 'No.' } };
  });
  const client = new Waypost({ apiKey: API_KEY, url: server.url, retries: 0 });
  await expect(client.upload(DOMAIN, () => entries(1), { retries: undefined })).rejects.toThrow('No.');
  expect(requests).toBe(1);
});

test('an abort and a number of retries also count while a domain is looked up, and while a load is looked at', async () => {
  const waiting = Promise.withResolvers<void>();
  server.play(async () => {
    waiting.resolve();
    await new Promise(() => {});
    return {};
  });
  const stop = new AbortController();
  const sent = [
    waypost.upload('domain_1', entries(1), { signal: stop.signal }),
    waypost.delta('domain_1', { remove: ['https://www.example.com/'] }, { signal: stop.signal }),
    waypost.waitForLoad('upload_1', { signal: stop.signal }),
  ].map((one) => expect(one).rejects.toThrow('Enough.'));
  await waiting.promise;
  stop.abort(new Error('Enough.'));
  await Promise.all(sent);

  server.play(() => 'drop');
  await expect(waypost.session('domain_1', { retries: 0 })).rejects.toMatchObject({ code: 'UNREACHABLE' });
});

describe('upload', () => {
  test('sends entries as lines, and resolves with the answer', async () => {
    publish();
    const uploaded = await waypost.upload(DOMAIN, entries(5000), {
      sitemapName: 'news',
      expectedUrlCount: 5000,
    });
    expect(uploaded).toEqual(PUBLISHED);
    const [seen] = server.seen;
    expect(seen).toMatchObject({ route: UPLOAD, end: 'whole' });
    expect(seen!.query).toEqual({ domain: DOMAIN, sitemapName: 'news', expectedUrlCount: '5000' });
    expect(seen!.headers).toMatchObject({
      'content-type': 'application/x-ndjson',
      authorization: `Bearer ${API_KEY}`,
      'idempotency-key': expect.stringMatching(/^[\w-]{36}$/),
    });
    expect(seen!.body.toString()).toBe(await linesOf(5000));
  });

  test('does not publish the rest of an iterator that its function returns again', async () => {
    let requests = 0;
    server.play(async (_seen, request) => {
      if (++requests === 1) {
        await request.read(100_000);
        return 'drop' as const;
      }
      await request.whole();
      return { data: PUBLISHED };
    });
    // Iterators of arrays have no `return`, so they go on where a loop has left them.
    const same = (await collect(entries(100_000))).values();
    const uploaded = waypost.upload(DOMAIN, () => same);
    await expect(uploaded).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('the same iterator again'),
    });
    expect(requests).toBe(1);
  });

  test('takes arrays, and compresses by choice', async () => {
    publish();
    await waypost.upload(DOMAIN, await collect(entries(3)), { gzip: true });
    expect(server.seen[0]!.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(server.seen[0]!.body).toString()).toBe(await linesOf(3));
  });

  test('pulls no more entries than the server takes', async () => {
    let pulled = 0;
    const stop = new AbortController();
    const goOn = Promise.withResolvers<void>();
    server.play(async (_seen, request) => {
      await request.read(1);
      await goOn.promise;
      await request.whole();
      return {};
    });
    const ended = waypost.upload(
      DOMAIN,
      entries(Number.POSITIVE_INFINITY, (n) => (pulled = n)),
      {
        signal: stop.signal,
      },
    );
    ended.catch(() => {});
    let before = -1;
    // `pulled` stands still once the buffers of the kernel are full.
    await vi.waitFor(() => {
      const last = before;
      before = pulled;
      expect(pulled).toBe(last);
      expect(pulled).toBeGreaterThan(0);
    }, SOON);
    expect(pulled).toBeLessThan(1_000_000);
    stop.abort(new Error('Enough.'));
    await expect(ended).rejects.toThrow('Enough.');
    goOn.resolve();
    await vi.waitFor(() => expect(server.seen[0]!.end).toBe('cut'), SOON);
  });

  test.for([false, true])('publishes nothing if the entries throw (gzip: %j)', async (gzip) => {
    publish();
    async function* failing() {
      yield* entries(50_000);
      throw new RangeError('The database went away.');
    }
    await expect(waypost.upload(DOMAIN, failing(), { gzip })).rejects.toThrow(
      new RangeError('The database went away.'),
    );
    await vi.waitFor(() => expect(server.seen.map(({ end }) => end)).toEqual(['cut']), SOON);
  });

  test('does not take an error of the entries for one of the network', async () => {
    publish();
    const error = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    // biome-ignore lint/correctness/useYield: it fails at once.
    async function* failing(): AsyncGenerator<{ loc: string }> {
      throw error;
    }
    await expect(waypost.upload(DOMAIN, () => failing())).rejects.toBe(error);
    expect(server.seen).toEqual([]);
  });

  test('begins the request when the first entry is there, and reads it once for all refused attempts', async () => {
    const query = Promise.withResolvers<void>();
    let turn = 0;
    server.play(async ({ route }, request) => {
      if (route === 'GET /') return {};
      if (turn++ === 0) {
        const error = { code: 'SERVICE_UNAVAILABLE', message: 'No.' };
        return { status: 503, headers: { 'Retry-After': '0' }, error };
      }
      await request.whole();
      return { data: PUBLISHED };
    });
    let begun = 0;
    async function* slow() {
      begun += 1;
      await query.promise;
      yield* entries(10);
    }
    const ended = waypost.upload(DOMAIN, slow());
    await expect.poll(() => begun).toBe(1);
    // A whole request of another client comes and goes meanwhile.
    await fetch(server.url);
    expect(server.seen.map(({ route }) => route)).toEqual(['GET /']);
    query.resolve();
    await ended;
    expect(begun).toBe(1);
    expect(server.seen.map(({ body }) => body.toString())).toEqual(['', '', await linesOf(10)]);
  });

  test('can be stopped before the first entry is there, and ends a source that was read in vain', async () => {
    const stop = new AbortController();
    const waits = async function* () {
      await new Promise(() => {});
      yield { loc: 'https://www.example.com/' };
    };
    const stopped = waypost.upload(DOMAIN, waits(), { signal: stop.signal });
    stop.abort(new Error('Enough.'));
    await expect(stopped).rejects.toThrow('Enough.');

    server.play(() => ({ status: 401, error: { code: 'UNAUTHORIZED', message: 'No.' } }));
    const end = vi.fn();
    async function* source() {
      try {
        yield Buffer.from('https://www.example.com/');
      } finally {
        end();
      }
    }
    await expect(waypost.uploadStream(DOMAIN, source(), { form: 'text' })).rejects.toMatchObject({
      status: 401,
    });
    expect(end).toHaveBeenCalledOnce();
  });

  test.each([
    ['a function makes', (list: Entry[]) => () => list.values()],
    ['is an array', (list: Entry[]) => list],
  ])('sends again what %s, and tells of the retry', async (_, made) => {
    const onRetry = vi.fn();
    let turn = 0;
    server.play(async (_seen, request) => {
      await request.whole();
      if (turn++ > 0) return { data: PUBLISHED };
      return {
        status: 503,
        headers: { 'Retry-After': '0' },
        error: { code: 'SERVICE_UNAVAILABLE', message: 'No.' },
      };
    });
    await waypost.upload(DOMAIN, made(await collect(entries(10))), { onRetry });
    expect(onRetry).toHaveBeenCalledExactlyOnceWith({
      error: expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', status: 503, isTemporary: true }),
      attempt: 1,
      delayMs: 0,
    });
    expect(server.seen.map(({ body }) => body.toString())).toEqual(Array(2).fill(await linesOf(10)));
  });

  test('refuses what is no entry', async () => {
    publish();
    const wrong = [{ loc: 'https://www.example.com/' }, undefined] as unknown as { loc: string }[];
    await expect(waypost.upload(DOMAIN, wrong)).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: 'Entry 1 is not an object.',
    });
  });

  test.each([
    ['objects', { form: 'csv' }, () => [{ loc: 'a' }]],
    ['numbers, as a Buffer has them', { form: 'csv' }, () => Buffer.from('loc\n')],
    ['an unknown form', { form: 'yaml' }, () => [Buffer.from('loc\n')]],
  ] as const)('uploadStream is not repeated for %s, and blames no network', async (_, options, source) => {
    publish();
    const onRetry = vi.fn();
    const chunks = async function* () {
      yield* source();
    };
    // @ts-expect-error: programs without types may send anything.
    const sent = waypost.uploadStream(DOMAIN, chunks, { ...options, onRetry });
    await expect(sent).rejects.toThrow(TypeError);
    expect(onRetry).not.toHaveBeenCalled();
  });

  test('uploadStream sends bytes in any form', async () => {
    publish();
    async function* csv() {
      yield Buffer.from('loc\n');
      yield Buffer.from('https://www.example.com/\n');
    }
    await waypost.uploadStream(DOMAIN, csv(), { form: 'csv', dryRun: true });
    expect(server.seen[0]).toMatchObject({ query: { domain: DOMAIN, dryRun: 'true' } });
    expect(server.seen[0]!.body.toString()).toBe('loc\nhttps://www.example.com/\n');
  });
});

test('a refusal has everything that the server says', async () => {
  const details = { field: 'urls[0].loc', value: 'x', errors: [], errorCount: 1 };
  server.play(() => ({
    status: 422,
    error: { code: 'VALIDATION_ERROR', message: 'urls[0].loc: no', details },
  }));
  const error = await waypost.upload(DOMAIN, entries(1)).catch((thrown: WaypostError) => thrown);
  expect(error).toBeInstanceOf(WaypostError);
  expect(error).toMatchObject({
    code: 'VALIDATION_ERROR',
    status: 422,
    message: 'urls[0].loc: no',
    details,
    requestId: 'request-1',
    isTemporary: false,
    isHeld: false,
  });
});

test('lists read all pages, and find a domain by its hostname', async () => {
  const all = Array.from({ length: 250 }, (_, n) => ({ id: `domain_${n}`, hostname: `h${n}.example.com` }));
  server.play(({ route, query }) => {
    if (route !== 'GET /api/domains') return { data: [{ name: 'default' }], pagination: { hasMore: false } };
    const found = all.filter(({ hostname }) => (query.hostname ?? hostname) === hostname);
    const from = Number(query.cursor ?? 0);
    const to = from + Number(query.limit);
    const pagination = to < found.length ? { hasMore: true, cursor: String(to) } : { hasMore: false };
    return { data: found.slice(from, to), pagination };
  });
  expect(await collect(waypost.listDomains())).toEqual(all);
  expect(await collect(waypost.listSitemaps('H249.Example.com.'))).toEqual([{ name: 'default' }]);
  // One request finds the domain, among any number of them.
  expect(server.seen.slice(-2).map(({ route }) => route)).toEqual([
    'GET /api/domains',
    'GET /api/domains/domain_249/sitemaps',
  ]);
  await expect(waypost.getDomain('h250.example.com')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a service that cannot look for a hostname yet is asked for all domains', async () => {
  const all = Array.from({ length: 150 }, (_, n) => ({ id: `domain_${n}`, hostname: `h${n}.example.com` }));
  server.play(({ route, query }) => {
    if (query.hostname !== undefined) return { status: 422, error: unknownParameter('hostname') };
    if (route !== 'GET /api/domains') return { data: all[149] };
    const from = Number(query.cursor ?? 0);
    const pagination = from === 0 ? { hasMore: true, cursor: '100' } : { hasMore: false };
    return { data: all.slice(from, from + 100), pagination };
  });
  expect(await waypost.getDomain('h149.example.com')).toEqual(all[149]);
  await expect(waypost.getDomain('h150.example.com')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a refusal of anything else is no reason to ask for all domains', async () => {
  server.play(() => ({ status: 422, error: unknownParameter('limit') }));
  await expect(waypost.getDomain('h1.example.com')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  expect(server.seen).toHaveLength(1);
});

function unknownParameter(field: string) {
  return { code: 'VALIDATION_ERROR', message: `${field}: is not known here`, details: { field } };
}

test('rejects come as values', async () => {
  const rejects = Array.from({ length: 5000 }, (_, index) => ({
    index,
    field: 'loc',
    value: 'ü',
    message: 'no',
  }));
  server.play(() => ({ text: rejects.map((one) => `${JSON.stringify(one)}\n`).join('') }));
  expect(await collect(waypost.listRejects('upload_1'))).toEqual(rejects);
});

test('rejects of which the connection ends are no whole list, and an abort gives its reason', async () => {
  const cut = createServer((_request, response) => {
    response.write('{"index":1}\n{"index":');
    cut.once('goOn', () => response.socket?.destroy());
  }).listen(0, '127.0.0.1');
  await once(cut, 'listening');
  onTestFinished(() => void cut.close());
  const stop = new AbortController();
  const { port } = cut.address() as AddressInfo;
  const client = new Waypost({ apiKey: API_KEY, url: `http://127.0.0.1:${port}`, signal: stop.signal });
  const lost = client.listRejects('upload_1');
  expect(await lost.next()).toMatchObject({ value: { index: 1 } });
  cut.emit('goOn');
  await expect(lost.next()).rejects.toMatchObject({ code: 'UNREACHABLE', isTemporary: true });
  const stopped = client.listRejects('upload_1');
  await stopped.next();
  stop.abort(new Error('enough'));
  await expect(stopped.next()).rejects.toThrow('enough');
});

test.for([
  ['http://api.example.net', 'plain HTTP'],
  ['http://127.0.0.1.example.net', 'plain HTTP'],
  ['http://localhost.example.net', 'plain HTTP'],
  ['http://0x7f000002.example', 'plain HTTP'],
  ['ftp://127.0.0.1', 'must be a URL'],
  ['api.example.net', 'must be a URL'],
  ['https://user:secret@api.example.net', 'no user'],
] as const)('the key is not sent to %s', ([url, message]) => {
  expect(() => new Waypost({ apiKey: API_KEY, url })).toThrow(message);
});

test.for([
  'http://localhost:1',
  'http://demo.localhost',
  'http://127.9.9.9',
  'http://[::1]:80',
  'https://a.example',
])('it may be sent to %s', (url) => expect(() => new Waypost({ apiKey: API_KEY, url })).not.toThrow());

test('plain HTTP to other machines can be allowed', () => {
  expect(() => new Waypost({ apiKey: API_KEY, url: 'http://api.example.net', insecure: true })).not.toThrow();
});

test.for(['', 'sk live', 'sk_live_\n', 'sk_live_ü', undefined as unknown as string])(
  '%j is no key, and the error does not have it',
  (apiKey) => {
    const make = () => new Waypost({ apiKey, url: 'https://a.example' });
    expect(make).toThrow('The API key is empty or has characters that no key has');
  },
);

test('a redirect is not followed', async () => {
  server.play(() => ({ status: 301, headers: { Location: 'http://127.0.0.1:9/' }, text: '' }));
  await expect(collect(waypost.listDomains())).rejects.toMatchObject({
    code: 'BAD_ANSWER',
    status: 301,
  });
  expect(server.seen).toHaveLength(1);
});
