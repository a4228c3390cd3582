import { expect, test } from 'vitest';
import { inTurn } from '../../src/sites/write-in-turn.ts';

/** Writes that end on demand. `begun` has their hostnames in order. */
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

test('one write per site is under way, and requests meanwhile share the next one', async () => {
  const { begun, write, settled, end } = heldWrites(5);
  const first = write('a');
  await settled();
  const later = [write('a'), write('a'), write('a')];
  await settled();
  expect(begun).toEqual(['a']);
  await end(0);
  expect(await first).toBe(0);
  expect(begun).toEqual(['a', 'a']);
  // The second write has begun, and may miss a change from now on.
  const last = write('a');
  await end(1);
  expect(await Promise.all(later)).toEqual([1, 1, 1]);
  await end(2);
  expect(await last).toBe(2);
  expect(begun).toHaveLength(3);
});

test('as many sites are written concurrently as there are places', async () => {
  const { begun, write, settled, end } = heldWrites(2);
  const writes = ['a', 'b', 'c', 'c', 'a'].map(write);
  await settled();
  expect(begun).toEqual(['a', 'b']);
  await end(0);
  expect(begun).toEqual(['a', 'b', 'c']);
  await end(1);
  await end(2);
  // The first writes of "c" and "a" had not begun at their second request.
  expect(await Promise.all(writes)).toEqual([0, 1, 2, 2, 0]);
  expect(begun).toHaveLength(3);
});

test('a failing write fails for everybody who shares it, and the next one continues', async () => {
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
