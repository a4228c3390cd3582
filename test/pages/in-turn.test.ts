import { expect, test } from 'vitest';
import { inTurn } from '../../pages/api/in-turn.ts';

/** Work whose runs end when the test says so. */
function heldWork() {
  const runs: PromiseWithResolvers<void>[] = [];
  const call = inTurn((name: string) => {
    const run = Promise.withResolvers<void>();
    runs.push(run);
    begun.push(name);
    return run.promise;
  });
  const begun: string[] = [];
  return { call, runs, begun };
}

/** Lets all that is due happen. */
const settle = () => new Promise(setImmediate);

test('calls during a run share the next one, which begins when the run has ended', async () => {
  const { call, runs, begun } = heldWork();
  const first = call('first');
  await settle();
  const second = call('second');
  expect(call('third')).toBe(second);
  await settle();
  expect(begun).toEqual(['first']);
  runs[0]!.resolve();
  await first;
  await settle();
  expect(begun).toEqual(['first', 'second']);
  const fourth = call('fourth');
  expect(fourth).not.toBe(second);
  runs[1]!.resolve();
  await second;
  await settle();
  runs[2]!.resolve();
  await fourth;
  expect(begun).toEqual(['first', 'second', 'fourth']);
});

test('a run that fails tells its callers, and the next one begins', async () => {
  const { call, runs, begun } = heldWork();
  const first = call('first');
  await settle();
  const second = call('second');
  runs[0]!.reject(new Error('down'));
  await expect(first).rejects.toThrow('down');
  await settle();
  runs[1]!.resolve();
  await second;
  expect(begun).toEqual(['first', 'second']);
});
