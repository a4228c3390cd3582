import { expect, test } from 'vitest';
import { inTurn } from '../../src/sites/write-in-turn.ts';

/** Writes that end when they are told to; `begun` has their hostnames in order. */
function heldWrites(places: number) {
  const begun: string[] = [];
  const ends: PromiseWithResolvers<number>[] = [];
  const write = inTurn((hostname) => {
    const end = Promise.withResolvers<number>();
    begun.push(hostname);
    ends.push(end);
    return end.promise;
  }, places);
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    begun,
    write,
    settled,
    async end(n: number) {
      ends[n]!.resolve(n);
      await settled();
    },
    async fail(n: number, error: Error) {
      ends[n]!.reject(error);
      await settled();
    },
  };
}

test('of one site one write is under way, and what comes meanwhile shares the next one', async () => {
  const { begun, write, settled, end } = heldWrites(5);
  const first = write('a');
  await settled();
  const later = [write('a'), write('a'), write('a')];
  await settled();
  expect(begun).toEqual(['a']);
  await end(0);
  expect(await first).toBe(0);
  expect(begun).toEqual(['a', 'a']);
  // The second one has begun, and may not see what changes now.
  const last = write('a');
  await end(1);
  expect(await Promise.all(later)).toEqual([1, 1, 1]);
  await end(2);
  expect(await last).toBe(2);
  expect(begun).toHaveLength(3);
});

test('sites are written side by side, as many as there are places', async () => {
  const { begun, write, settled, end } = heldWrites(2);
  const writes = ['a', 'b', 'c', 'c', 'a'].map(write);
  await settled();
  expect(begun).toEqual(['a', 'b']);
  await end(0);
  expect(begun).toEqual(['a', 'b', 'c']);
  await end(1);
  await end(2);
  // Those of "c" and "a" had not begun when they were asked for a second time.
  expect(await Promise.all(writes)).toEqual([0, 1, 2, 2, 0]);
  expect(begun).toHaveLength(3);
});

test('a write that fails says so to all who share it, and the next one goes on', async () => {
  const { write, settled, fail, end } = heldWrites(1);
  const problem = new Error('no');
  const failing = [write('a'), write('a')].map((each) => expect(each).rejects.toBe(problem));
  await settled();
  const next = write('a');
  await fail(0, problem);
  await Promise.all(failing);
  await end(1);
  expect(await next).toBe(1);
});
