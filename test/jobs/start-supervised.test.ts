import { EventEmitter } from 'node:events';
import type { Runner } from 'graphile-worker';
import { expect, test, vi } from 'vitest';
import { startSupervised } from '../../src/core/jobs/start-supervised.ts';
import { collectLog } from '../support/collect-log.ts';

/** A runner that does nothing until the test ends it. */
function idleRunner() {
  const ended = Promise.withResolvers<void>();
  const runner = { events: new EventEmitter(), promise: ended.promise, stop: async () => ended.resolve() };
  return runner as unknown as Runner;
}

test.each([
  ['an outage', new Error('connect ECONNREFUSED')],
  // p-retry gives up at a TypeError.
  ['a fault of a library', new TypeError('Cannot read properties of null')],
])('a runner that ends is started again, also if its start meets %s', async (_, error) => {
  const log = collectLog();
  const runners = [idleRunner(), idleRunner()];
  const start = vi.fn<() => Promise<Runner>>();
  start.mockResolvedValueOnce(runners[0]!).mockRejectedValueOnce(error).mockResolvedValueOnce(runners[1]!);
  const supervised = await startSupervised(start, log);
  runners[0]!.events.emit('pool:gracefulShutdown', {} as never);
  await vi.waitFor(() => expect(start).toHaveBeenCalledTimes(3), 30_000);
  expect(log.lines.map(({ message }) => message)).toEqual([
    'the job runner ended by itself and is restarted',
    'the job runner could not be restarted',
  ]);
  await supervised.stop();
  await supervised.ended;
});
