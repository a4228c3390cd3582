import { expect, onTestFinished, test, vi } from 'vitest';
import { startWorkingOff, type WorkQueue } from '../../src/core/jobs/start-working-off.ts';
import { collectLog } from '../support/collect-log.ts';
import { soon } from '../support/soon.ts';

/** Items that wait, and each that is under way until the test lets it end. */
function createQueue() {
  const waiting: string[] = [];
  const underWay = new Map<string, { end(): void; fail(error: Error): void; signal: AbortSignal }>();
  const done: string[] = [];
  const limits: number[] = [];
  const queue: WorkQueue<string> = {
    name: 'test',
    atOnce: 2,
    pollMs: 5,
    async take(limit) {
      limits.push(limit);
      return waiting.splice(0, limit);
    },
    async work(item, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      underWay.set(item, { end: resolve, fail: reject, signal });
      await promise.finally(() => underWay.delete(item));
      done.push(item);
    },
  };
  return { waiting, underWay, done, limits, queue };
}

function start(queue: WorkQueue<string>) {
  const log = collectLog();
  const reported: string[] = [];
  const working = startWorkingOff(queue, {
    log,
    report: (name, outcome) => void reported.push(`${name} ${outcome}`),
  });
  onTestFinished(() => working.stop());
  return { working, log, reported };
}

const until = (check: () => boolean) => vi.waitUntil(check, soon(String(check)));

test('as many items as it may are under way at once; one that ends makes room for the next', async () => {
  const { waiting, underWay, done, limits, queue } = createQueue();
  waiting.push('a', 'b', 'c');
  const { reported } = start(queue);
  await until(() => underWay.size === 2);
  expect(waiting).toEqual(['c']);
  underWay.get('a')!.end();
  await until(() => underWay.has('c'));
  for (const { end } of underWay.values()) end();
  await until(() => done.length === 3);
  expect(reported).toEqual(['test done', 'test done', 'test done']);
  expect(Math.max(...limits)).toBe(2);
  expect(Math.min(...limits)).toBeGreaterThan(0);
});

test('an item that comes later is found, while others hang', async () => {
  const { waiting, underWay, queue } = createQueue();
  waiting.push('hangs');
  start(queue);
  await until(() => underWay.has('hangs'));
  waiting.push('later');
  await until(() => underWay.has('later'));
  for (const { end } of underWay.values()) end();
});

test('an item that fails is logged, rarely, and the work goes on', async () => {
  const { waiting, underWay, done, queue } = createQueue();
  const { log, reported } = start(queue);
  for (let i = 0; i < 20; i++) {
    waiting.push(`fails ${i}`);
    await until(() => underWay.size === 1);
    underWay.get(`fails ${i}`)!.fail(new Error('no'));
    await until(() => underWay.size === 0);
  }
  waiting.push('works');
  await until(() => underWay.has('works'));
  underWay.get('works')!.end();
  await until(() => done.length === 1);
  expect(reported.filter((one) => one === 'test failed')).toHaveLength(20);
  const lines = log.lines.filter(({ message }) => message === 'an item of a queue failed');
  expect(lines[0]).toMatchObject({ level: 'error', details: { queue: 'test', err: { message: 'no' } } });
  expect(lines.length).toBeLessThan(20);
});

test('a queue that cannot be read is read again', async () => {
  const { waiting, underWay, queue } = createQueue();
  let fails = 3;
  const failing = {
    ...queue,
    take: (limit: number) => {
      if (fails-- > 0) return Promise.reject(new Error('gone'));
      return queue.take(limit);
    },
  };
  waiting.push('a');
  const { log } = start(failing);
  await until(() => underWay.has('a'));
  underWay.get('a')!.end();
  expect(log.lines.filter(({ message }) => message === 'a queue cannot be read')).toHaveLength(3);
});

test('it stops: takes no more, aborts the signal of the items under way, and waits for them', async () => {
  const { waiting, underWay, queue } = createQueue();
  waiting.push('a');
  const { working, log } = start(queue);
  await until(() => underWay.has('a'));
  const { signal, fail } = underWay.get('a')!;
  let isStopped = false;
  const stopped = working.stop().then(() => {
    isStopped = true;
  });
  expect(signal.aborted).toBe(true);
  waiting.push('b');
  await new Promise(setImmediate);
  expect(isStopped).toBe(false);
  fail(new Error('aborted'));
  await stopped;
  expect(waiting).toEqual(['b']);
  // The queue's owner has stopped it, so this is no failure to log.
  expect(log.lines).toEqual([]);
});

test('it stops while it takes: what it took meanwhile is worked on, by an aborted signal', async () => {
  const taking = Promise.withResolvers<readonly string[]>();
  const worked: boolean[] = [];
  const { working } = start({
    name: 'test',
    atOnce: 2,
    pollMs: 5,
    take: () => taking.promise,
    work: async (_item, signal) => void worked.push(signal.aborted),
  });
  const stopped = working.stop();
  taking.resolve(['a']);
  await stopped;
  expect(worked).toEqual([true]);
});
