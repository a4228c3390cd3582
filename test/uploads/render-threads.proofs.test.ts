/** Threads that fail: each has its time or its memory before it is replaced. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRenderPool } from '../../src/features/uploads/render-pool.ts';
import { collect } from '../support/collect.ts';
import { collectLog } from '../support/collect-log.ts';
import { asSource, batchOf, plainEntries } from './batches.ts';

const ACCOUNT = 'account_one';

describe('a thread that', () => {
  const worker = new URL('workers/faulty.ts', import.meta.url);
  const badBatch = (what: string) => batchOf([{ loc: what }]);

  test.each([
    ['die', /exited with code: 3/, 60_000],
    // The time includes the start of a new thread.
    ['loop', /aborted/, 15_000],
    ['eat', /memory/, 60_000],
  ])('is told to %s costs only its own upload, and is replaced', async (what, message, timeoutMs) => {
    const own = createRenderPool({
      threads: 1,
      transcodes: true,
      hashSeed: 1n,
      log: collectLog(),
      batchTimeoutMs: timeoutMs,
      worker,
    });
    onTestFinished(() => own[Symbol.asyncDispose]());
    for (let round = 0; round < 2; round++) {
      const failing = collect(own.render(asSource([badBatch(what)]), ACCOUNT));
      // This batch waits for the only thread. If that thread loops, it waits longer than a batch may take.
      const waiting = collect(own.render(asSource([batchOf(plainEntries(3))]), 'account_other'));
      await expect(failing).rejects.toThrow(message);
      expect(await waiting).toMatchObject([{ entries: 3 }]);
    }
  });
});
