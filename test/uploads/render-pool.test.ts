import { Piscina } from 'piscina';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createRenderPool } from '../../src/features/uploads/render-pool.ts';
import { collect } from '../support/collect.ts';
import { collectLog } from '../support/collect-log.ts';
import { SOON } from '../support/soon.ts';
import { asSource, batchOf, batchOfTexts, fragmentOf, plainEntries } from './batches.ts';

const THREADS = 2;
const ACCOUNT = 'account_one';
const pool = createRenderPool({ threads: THREADS, transcodes: true, hashSeed: 1n, log: collectLog() });
afterAll(() => pool[Symbol.asyncDispose]());

/** Entries that take `weight` times as long as others. */
const entriesOf = (n: number, weight = 1) => plainEntries(50 * weight, n * 1000);

test('fragments keep the order of their batches, however long each takes', async () => {
  const weights = [20, 1, 1, 10, 1, 1, 1, 15, 1, 1];
  async function* batches() {
    for (const [n, weight] of weights.entries()) yield batchOf(entriesOf(n, weight), n * 1000);
  }
  const fragments = await collect(pool.render(batches(), ACCOUNT));
  expect(fragments.map(({ crc }) => crc)).toEqual(
    weights.map((weight, n) => fragmentOf(entriesOf(n, weight)).crc),
  );
  expect(fragments.map(({ entries }) => entries)).toEqual(weights.map((weight) => 50 * weight));
});

describe('a fault', () => {
  test('of the earliest batch is the one reported, even if a later one is found first', async () => {
    async function* batches() {
      yield batchOf([...plainEntries(3000), { loc: 'first' }], 0);
      yield batchOf([{ loc: 'second' }], 4000);
      yield batchOfTexts(['no JSON'], 5000);
    }
    await expect(collect(pool.render(batches(), ACCOUNT))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      options: { details: { field: 'urls[3000].loc', value: 'first', errorCount: 1 } },
    });
  });

  test('comes after the fragments before it', async () => {
    async function* batches() {
      for (let n = 0; n < 5; n++) yield batchOf(entriesOf(n), n * 1000);
      yield batchOfTexts(['no JSON'], 5000);
    }
    let fragments = 0;
    const reading = async () => {
      for await (const _ of pool.render(batches(), ACCOUNT)) fragments++;
    };
    await expect(reading()).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('urls[5000]'),
    });
    expect(fragments).toBe(5);
  });

  test('of the source comes after the fragments and violations of its earlier batches', async () => {
    const problem = new Error('connection lost');
    async function* good() {
      for (let n = 0; n < 3; n++) yield batchOf(entriesOf(n, 20), n * 1000);
      throw problem;
    }
    let fragments = 0;
    const reading = async () => {
      for await (const _ of pool.render(good(), ACCOUNT)) fragments++;
    };
    await expect(reading()).rejects.toBe(problem);
    expect(fragments).toBe(3);

    async function* bad() {
      yield batchOf([...plainEntries(2000), { loc: 1 }]);
      throw problem;
    }
    await expect(collect(pool.render(bad(), ACCOUNT))).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

test('a paused reader stops the source after a bounded number of batches', async () => {
  let given = 0;
  async function* batches() {
    for (; given < 1000; given++) yield batchOf(entriesOf(given), given * 1000);
  }
  const fragments = pool.render(batches(), ACCOUNT)[Symbol.asyncIterator]();
  await fragments.next();
  // This work for another account shows that the pool had every chance to continue.
  for (let i = 0; i < 50; i++)
    await collect(pool.render(asSource([batchOf(plainEntries(1))]), 'account_other'));
  expect(given).toBeLessThanOrEqual(4 * THREADS);
  await fragments.return?.();
});

test('a reader that stops early closes the source', async () => {
  const closed = Promise.withResolvers<void>();
  async function* batches() {
    try {
      for (let n = 0; ; n++) yield batchOf(entriesOf(n), n * 1000);
    } finally {
      closed.resolve();
    }
  }
  for await (const _ of pool.render(batches(), ACCOUNT)) break;
  await closed.promise;
});

test('a violation closes the source', async () => {
  const closed = Promise.withResolvers<void>();
  async function* batches() {
    try {
      for (let n = 0; ; n++) yield batchOf([{ loc: n }], n);
    } finally {
      closed.resolve();
    }
  }
  await expect(collect(pool.render(batches(), ACCOUNT))).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  await closed.promise;
});

test('a failing thread costs only its own upload', async () => {
  const own = createRenderPool({ threads: 1, transcodes: true, hashSeed: 1n, log: collectLog() });
  onTestFinished(() => own[Symbol.asyncDispose]());
  // No bytes for its numbers: the thread throws.
  const broken = { bytes: new Uint8Array(0), ends: null as never, firstIndex: 0 };
  await expect(collect(own.render(asSource([broken]), ACCOUNT))).rejects.toThrow();
  const [fragment] = await collect(own.render(asSource([batchOf(plainEntries(3))]), ACCOUNT));
  expect(fragment?.entries).toBe(3);
});

test('a thread that fails without a batch, as after its batch was abandoned, costs no process', async () => {
  const log = collectLog();
  const run = vi.spyOn(Piscina.prototype, 'run');
  onTestFinished(() => run.mockRestore());
  const own = createRenderPool({ threads: 1, transcodes: true, hashSeed: 1n, log });
  onTestFinished(() => own[Symbol.asyncDispose]());
  await collect(own.render(asSource([batchOf(plainEntries(3))]), ACCOUNT));
  const piscina = run.mock.contexts[0]! as Piscina;
  // The event of piscina for an error of a thread whose task is over.
  piscina.emit('error', new Error('Worker terminated due to reaching memory limit: JS heap out of memory'));
  expect(log.lines).toMatchObject([{ level: 'warn', message: expect.stringContaining('thread') }]);
  expect(await collect(own.render(asSource([batchOf(plainEntries(4))]), ACCOUNT))).toHaveLength(1);
});

test('accounts take turns: many uploads of one hardly delay the upload of another', async () => {
  const own = createRenderPool({ threads: 1, transcodes: true, hashSeed: 1n, log: collectLog() });
  onTestFinished(() => own[Symbol.asyncDispose]());
  let ofMany = 0;
  let isOver = false;
  async function* endless() {
    for (let n = 0; !isOver; n++) yield batchOf(entriesOf(n), n * 1000);
  }
  const many = Array.from({ length: 20 }, async () => {
    for await (const _ of own.render(endless(), 'account_many')) ofMany++;
  });
  await vi.waitFor(() => expect(ofMany).toBeGreaterThan(100), SOON);
  const before = ofMany;
  const count = 50;
  async function* few() {
    for (let n = 0; n < count; n++) yield batchOf(entriesOf(n), n * 1000);
  }
  expect(await collect(own.render(few(), 'account_few'))).toHaveLength(count);
  // One for one, plus the batches that were under way or waited for their reader before and after.
  expect(ofMany - before).toBeLessThan(2 * count);
  isOver = true;
  await Promise.all(many);
});

test('entries are counted by path, those of refused uploads included', async () => {
  const own = createRenderPool({ threads: THREADS, transcodes: true, hashSeed: 1n, log: collectLog() });
  onTestFinished(() => own[Symbol.asyncDispose]());
  expect(own.load().entriesByPath).toEqual({ kernel: 0, normative: 0 });

  await collect(
    own.render(asSource([batchOf(plainEntries(3000)), batchOf(plainEntries(200), 3000)]), ACCOUNT),
  );
  expect(own.load().entriesByPath).toEqual({ kernel: 3200, normative: 0 });

  const refused = [batchOf([...plainEntries(3), { loc: 'refused' }, ...plainEntries(2)])];
  await expect(collect(own.render(asSource(refused), ACCOUNT))).rejects.toThrow();
  expect(own.load().entriesByPath).toEqual({ kernel: 3205, normative: 1 });

  const malformed = [batchOfTexts(['{"loc":"https://example.com/"}', 'no JSON', 'no JSON'])];
  await expect(collect(own.render(asSource(malformed), ACCOUNT))).rejects.toThrow();
  expect(own.load().entriesByPath).toEqual({ kernel: 3206, normative: 2 });
});

test('all entries count as normative if the fast path is off', async () => {
  const own = createRenderPool({ threads: 1, transcodes: false, hashSeed: 1n, log: collectLog() });
  onTestFinished(() => own[Symbol.asyncDispose]());
  await collect(own.render(asSource([batchOf(plainEntries(7))]), ACCOUNT));
  expect(own.load().entriesByPath).toEqual({ kernel: 0, normative: 7 });
});
