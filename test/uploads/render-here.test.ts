import { afterAll, describe, expect, test } from 'vitest';
import { readRecords } from '../../src/features/uploads/forms/read-records.ts';
import { createRenderHere } from '../../src/features/uploads/render-here.ts';
import { createRenderPool, type Judgement } from '../../src/features/uploads/render-pool.ts';
import { collect } from '../support/collect.ts';
import { collectLog } from '../support/collect-log.ts';
import { batchOf, batchOfTexts, plainEntries } from './batches.ts';
import { OTHER_FORMS, variousEntries } from './forms/forms.ts';
import { inChunks } from './forms/render-body.ts';

const ACCOUNT = 'account_one';
const threads = createRenderPool({ threads: 1, transcodes: true, hashSeed: 1n, log: collectLog() });
afterAll(() => threads[Symbol.asyncDispose]());

/** Threads that note how many entries each of their batches has. */
function counted() {
  const batches: number[] = [];
  const counting: typeof threads = {
    ...threads,
    async *render(given, ...rest) {
      const watched = (async function* () {
        for await (const batch of given) {
          batches.push(batch.ends.length);
          yield batch;
        }
      })();
      yield* threads.render(watched, ...rest);
    },
  };
  return { here: createRenderHere({ threads: counting, transcodes: true, hashSeed: 1n }), batches };
}

async function* asSource<Value>(values: Iterable<Value>): AsyncGenerator<Value> {
  yield* values;
}

/** Only the slow path can say why. */
const invalid = (n: number) => ({ loc: `no URL ${n}` });

const SKIP: Judgement = { onInvalid: 'skip', reject: async () => {} };

/** Bytes, so that both can be compared. */
const shown = (fragments: Awaited<ReturnType<typeof collect>>) =>
  JSON.stringify(fragments, (_, value) => (typeof value === 'bigint' ? String(value) : value));

test('entries of the fast path are rendered here, as threads would do it', async () => {
  const { here, batches } = counted();
  const all = () => asSource([batchOf(plainEntries(1500)), batchOf(plainEntries(10, 1500), 1500)]);
  const fragments = await collect(here.render(all(), ACCOUNT));
  expect(shown(fragments)).toBe(shown(await collect(threads.render(all(), ACCOUNT))));
  expect(fragments.map(({ entries }) => entries)).toEqual([1000, 500, 10]);
  expect(batches).toEqual([]);
});

test.each(OTHER_FORMS)('so are those of %s', async (form, { carried, write }) => {
  const { here } = counted();
  const body = write(variousEntries(100).map(carried));
  const all = () => readRecords(form, inChunks(body, body.length));
  const fragments = await collect(here.render(all(), ACCOUNT));
  expect(shown(fragments)).toBe(shown(await collect(threads.render(all(), ACCOUNT))));
});

describe('a batch with many entries of the slow path', () => {
  test('goes to a thread with all that follow, and makes the same fragments', async () => {
    const { here, batches } = counted();
    const manyInvalid = [...plainEntries(5), ...Array.from({ length: 201 }, (_, n) => invalid(n))];
    const all = () => asSource([batchOf(manyInvalid), batchOf(manyInvalid.slice(1, -1), 206)]);
    const fragments = await collect(here.render(all(), ACCOUNT, SKIP));
    expect(fragments.map(({ entries }) => entries)).toEqual([5, 4]);
    expect(shown(fragments)).toBe(shown(await collect(threads.render(all(), ACCOUNT, SKIP))));
    expect(batches).toEqual([206, 204]);
  });

  test('is also one with few entries that have many faults', async () => {
    const { here, batches } = counted();
    const faulty = { loc: 'https://example.com/', images: Array(150).fill(1) };
    const all = () => asSource([batchOf([faulty, ...plainEntries(5), faulty])]);
    const fragments = await collect(here.render(all(), ACCOUNT, SKIP));
    expect(shown(fragments)).toBe(shown(await collect(threads.render(all(), ACCOUNT, SKIP))));
    expect(batches).toEqual([7]);
  });

  test.each(OTHER_FORMS)('as %s too', async (form, { write }) => {
    const { here, batches } = counted();
    const body = write(Array.from({ length: 300 }, (_, n) => invalid(n)) as never);
    const refused = (renderer: Pick<typeof threads, 'render'>) =>
      collect(renderer.render(readRecords(form, inChunks(body, body.length)), ACCOUNT)).then(
        () => undefined,
        ({ message, options }) => ({ message, options }),
      );
    const refusal = await refused(here);
    expect(refusal).toBeDefined();
    expect(refusal).toEqual(await refused(threads));
    expect(batches).toHaveLength(1);
  });
});

describe('a fault', () => {
  test('is refused as by threads', async () => {
    const { here } = counted();
    const first = batchOf([...plainEntries(3), invalid(3), invalid(4)]);
    await expect(collect(here.render(asSource([first]), ACCOUNT))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      options: { details: { field: 'urls[3].loc', errorCount: 2 } },
    });
    const malformed = asSource([batchOfTexts(['no JSON'], 7)]);
    await expect(collect(here.render(malformed, ACCOUNT))).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('urls[7]'),
    });
  });

  test('is judged before the fragments of its batch', async () => {
    for (const count of [2, 300]) {
      const { here } = counted();
      const order: unknown[] = [];
      const judgement: Judgement = {
        onInvalid: 'skip',
        reject: async ({ entries }) => void order.push(`rejected ${entries}`),
      };
      const bad = Array.from({ length: count }, (_, n) => invalid(n));
      const batches = asSource([batchOf([...plainEntries(5), ...bad])]);
      for await (const { entries } of here.render(batches, ACCOUNT, judgement)) order.push(entries);
      expect(order).toEqual([`rejected ${count}`, 5]);
    }
  });

  test('in the source, or a reader that stops, ends it', async () => {
    const { here } = counted();
    let isClosed = false;
    async function* endless() {
      try {
        for (let n = 0; ; n++) yield batchOf(plainEntries(10), n);
      } finally {
        isClosed = true;
      }
    }
    for await (const _ of here.render(endless(), ACCOUNT)) break;
    expect(isClosed).toBe(true);
  });
});

test('entries are counted with those of the threads, each once', async () => {
  const own = createRenderPool({ threads: 1, transcodes: true, hashSeed: 1n, log: collectLog() });
  const here = createRenderHere({ threads: own, transcodes: true, hashSeed: 1n });
  const slow = Array.from({ length: 250 }, (_, n) => invalid(n));
  await collect(here.render(asSource([batchOf(plainEntries(5))]), ACCOUNT));
  for (const entries of [slow, slow.slice(0, 10)]) {
    await collect(here.render(asSource([batchOf(entries)]), ACCOUNT, SKIP));
  }
  await collect(own.render(asSource([batchOf(plainEntries(7))]), ACCOUNT));
  expect(here.load()).toMatchObject({ threads: 1, entriesByPath: { kernel: 12, normative: 260 } });
  await own[Symbol.asyncDispose]();
});

test('without the fast path the result is the same', async () => {
  const here = createRenderHere({ threads, transcodes: false, hashSeed: 1n });
  const all = () => asSource([batchOf(plainEntries(100))]);
  expect(shown(await collect(here.render(all(), ACCOUNT)))).toBe(
    shown(await collect(threads.render(all(), ACCOUNT))),
  );
  expect(here.load().entriesByPath.normative).toBeGreaterThanOrEqual(100);
});
