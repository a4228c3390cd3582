/** Deltas of the library, against a server that only keeps what came. */
import { gunzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { type Operation, Waypost } from '../../../client/src/client.ts';
import { collect } from '../../support/collect.ts';
import { DELTA, playDeltas } from '../support/fake-deltas.ts';
import { API_KEY, type Script, startFakeWaypost } from '../support/fake-waypost.ts';

const server = await startFakeWaypost();
const waypost = new Waypost({ apiKey: API_KEY, url: server.url });
const DOMAIN = 'maps.example.com';
const MOST = 100_000;

const loc = (n: number) => `https://www.example.com/${n}`;
const lineOf = (n: number): Operation => (n % 10 === 9 ? { remove: loc(n) } : { upsert: { loc: loc(n) } });

async function* operations(count: number) {
  for (let n = 0; n < count; n++) yield lineOf(n);
}

const textOf = async (count: number) =>
  (await collect(operations(count))).map((one) => `${JSON.stringify(one)}\n`).join('');
const keysSeen = () => server.seen.map(({ headers }) => headers['idempotency-key']);
const later: Script = () => ({
  status: 503,
  headers: { 'Retry-After': '0' },
  error: { code: 'SERVICE_UNAVAILABLE', message: 'No.' },
});

describe('lists', () => {
  test('are one JSON document', async () => {
    playDeltas(server, {
      1: async (_seen, request) => {
        await request.whole();
        return {
          data: {
            deltaId: 'delta_1',
            generation: 8,
            added: 1,
            changed: 0,
            unchanged: 0,
            removed: 0,
            missing: 1,
            filesChanged: 1,
            urlCount: 11,
          },
        };
      },
    });
    const changes = { upsert: [{ loc: loc(1), priority: 0.5 }], remove: [loc(2)] };
    const applied = await waypost.delta(DOMAIN, changes, {
      sitemapName: 'news',
      ifGeneration: 7,
      onMissing: 'ignore',
      force: true,
      idempotencyKey: 'mine',
    });
    expect(applied).toEqual({
      ...{ generation: 8, added: 1, changed: 0, unchanged: 0, removed: 0, missing: 1, filesChanged: 1 },
      ...{ urlCount: 11, deltaIds: ['delta_1'] },
    });
    const [seen] = server.seen;
    expect(seen).toMatchObject({ route: DELTA, end: 'whole' });
    expect(seen!.query).toEqual({
      ...{ domain: DOMAIN, sitemapName: 'news', ifGeneration: '7', onMissing: 'ignore', force: 'true' },
    });
    expect(JSON.parse(seen!.body.toString())).toEqual(changes);
    expect(seen!.headers).toMatchObject({
      ...{ 'content-type': 'application/json', 'content-length': String(seen!.bytes) },
      'idempotency-key': 'mine',
    });
    expect(seen!.headers.expect).toBeUndefined();
  });

  test('that are empty send nothing', async () => {
    playDeltas(server);
    expect(await waypost.delta(DOMAIN, { upsert: [] })).toMatchObject({ added: 0, removed: 0, deltaIds: [] });
    expect(await waypost.delta(DOMAIN, [])).toMatchObject({ added: 0, deltaIds: [] });
    expect(server.seen).toHaveLength(0);
  });
});

describe('operations', () => {
  test('are lines, in one request with its length', async () => {
    playDeltas(server);
    const applied = await waypost.delta(DOMAIN, operations(100));
    expect(applied).toMatchObject({
      added: 90,
      removed: 10,
      urlCount: 90,
      generation: 8,
      deltaIds: ['delta_1'],
    });
    const [seen] = server.seen;
    expect(seen!.body.toString()).toBe(await textOf(100));
    expect(seen!.headers).toMatchObject({
      ...{ 'content-type': 'application/x-ndjson', 'content-length': String(seen!.bytes) },
      'idempotency-key': expect.stringMatching(/^[\w-]{36}$/),
    });
  });

  test('are sent in portions, and the answers are summed', async () => {
    playDeltas(server, { 2: later });
    const onPortion = vi.fn();
    const count = 2 * MOST + 10;
    const applied = await waypost.delta(DOMAIN, operations(count), {
      ...{ ifGeneration: 7, idempotencyKey: 'run', onPortion },
    });
    expect(applied).toMatchObject({
      ...{ added: count * 0.9, removed: count * 0.1, urlCount: 10 + count * 0.8, filesChanged: 6 },
      ...{ generation: 10, deltaIds: ['delta_1', 'delta_3', 'delta_4'] },
    });
    // The second portion was tried twice, with one key. Each portion changes the generation of the one before.
    expect(keysSeen()).toEqual(['run', 'run/2', 'run/2', 'run/3']);
    expect(server.seen.map(({ query }) => query.ifGeneration)).toEqual(['7', '8', '8', '9']);
    const sent = [0, 2, 3].map((i) => server.seen[i]!.body.toString());
    expect(sent.map((body) => body.split('\n').length - 1)).toEqual([MOST, MOST, 10]);
    expect(sent.join('') === (await textOf(count))).toBe(true);
    expect(onPortion.mock.calls.map(([{ operations: sum, bytes }]) => [sum, bytes])).toEqual(
      [MOST, 2 * MOST, count].map((sum, i) => [sum, Buffer.byteLength(sent[i]!)]),
    );
  });

  test('are cut at 32 MiB', async () => {
    playDeltas(server);
    const long = 'x'.repeat(1024 * 1024);
    const big = Array.from({ length: 40 }, (_, n) => ({
      upsert: { loc: loc(n), changefreq: null, lastmod: long },
    }));
    await waypost.delta(DOMAIN, big);
    expect(server.seen.map(({ bytes }) => bytes <= 32 * 1024 * 1024)).toEqual([true, true]);
    expect(server.seen.map(({ body }) => body.toString().split('\n').length - 1)).toEqual([31, 9]);
  });

  test('of a dry run are counted on the live generation', async () => {
    playDeltas(server);
    const applied = await waypost.delta(DOMAIN, operations(MOST + 10), { dryRun: true, ifGeneration: 7 });
    expect(applied).toMatchObject({ dryRun: true, urlCount: 10 + (MOST + 10) * 0.8 });
    expect(applied.generation).toBeUndefined();
    expect(server.seen.map(({ query }) => query.ifGeneration)).toEqual(['7', '7']);
  });

  test('are compressed by choice, and each attempt has the same bytes', async () => {
    playDeltas(server, {
      1: async (_seen, request) => {
        await request.whole();
        return 'drop' as const;
      },
    });
    await waypost.delta(DOMAIN, operations(5000), { gzip: true });
    const [first, second] = server.seen;
    expect(first!.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(first!.body).toString()).toBe(await textOf(5000));
    expect(second!.body.equals(first!.body)).toBe(true);
    expect(new Set(keysSeen()).size).toBe(1);
  });

  test('that throw leave the portions before, and the error comes back as it is', async () => {
    playDeltas(server);
    const error = new RangeError('The database went away.');
    const onPortion = vi.fn();
    async function* failing() {
      yield* operations(MOST + 5000);
      throw error;
    }
    await expect(waypost.delta(DOMAIN, failing(), { onPortion })).rejects.toBe(error);
    expect(server.seen.map(({ end }) => end)).toEqual(['whole']);
    expect(onPortion).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ operations: MOST }));
  });

  test('that never come are left when the signal aborts', async () => {
    playDeltas(server);
    const stop = new AbortController();
    async function* waiting(): AsyncGenerator<Operation> {
      yield lineOf(0);
      stop.abort(new Error('Enough.'));
      await new Promise(() => {});
    }
    await expect(waypost.delta(DOMAIN, waiting(), { signal: stop.signal })).rejects.toThrow('Enough.');
    const other = new Waypost({ apiKey: API_KEY, url: server.url, signal: stop.signal });
    await expect(other.delta(DOMAIN, waiting())).rejects.toThrow('Enough.');
    expect(server.seen).toHaveLength(0);
  });

  test.for([
    undefined,
    {},
    { upsert: 'https://www.example.com/' },
    { remove: { loc: 'https://www.example.com/' } },
    { upsert: { loc: 'https://www.example.com/' }, remove: 'https://www.example.com/' },
    { loc: 'https://www.example.com/' },
  ])('refuses %j', async (wrong) => {
    playDeltas(server);
    const sent = waypost.delta(DOMAIN, [lineOf(0), wrong as unknown as Operation]);
    await expect(sent).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: 'Operation 1 is neither {upsert: an entry} nor {remove: a URL}.',
    });
    expect(server.seen).toHaveLength(0);
  });
});

test('the line of a fault is that of the source, not that of its portion', async () => {
  const fault = { line: 3, index: 2, field: 'upsert.loc', value: 'x', message: 'must be a URL' };
  const details = { ...fault, message: undefined, errors: [fault], errorCount: 1 };
  playDeltas(server, {
    2: () => ({
      status: 422,
      error: { code: 'VALIDATION_ERROR', message: 'line 3, upsert.loc: must be a URL', details },
    }),
  });
  async function* lines() {
    yield Buffer.from(`\n${await textOf(MOST)}\n\n`);
    yield Buffer.from(await textOf(5));
  }
  const sent = waypost.deltaStream(DOMAIN, lines());
  const [line, index] = [MOST + 1 + 3, MOST + 2];
  await expect(sent).rejects.toMatchObject({
    ...{ code: 'VALIDATION_ERROR', status: 422, message: `line ${line}, upsert.loc: must be a URL` },
    details: { line, index, field: 'upsert.loc', errorCount: 1, errors: [{ ...fault, line, index }] },
  });
});
