import { expect, test } from 'vitest';
import type { WriteAttempt } from '../../src/features/sites/site-outcomes.ts';
import { inTurn } from '../../src/features/sites/write-in-turn.ts';

/** Groups that end on demand: `begun` has their hostnames. So do writes alone, as `alone a`. */
function heldWrites(places: number) {
  const begun: string[] = [];
  const ends: { resolve: (outcomes: WriteAttempt[]) => void; reject: (error: Error) => void }[] = [];
  const hold = async (title: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<WriteAttempt[]>();
    begun.push(title);
    ends.push({ resolve, reject });
    return promise;
  };
  const write = inTurn(
    {
      together: async (hostnames) => (await hold(hostnames.join(' '))).map((value) => ({ value })),
      alone: async (hostname) => (await hold(`alone ${hostname}`))[0] === 'written',
    },
    places,
  );
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    begun,
    write,
    settled,
    async end(n: number, ...outcomes: WriteAttempt[]) {
      ends[n]!.resolve(outcomes);
      await settled();
    },
    async fail(n: number, error: Error) {
      ends[n]!.reject(error);
      await settled();
    },
  };
}

test('calls of one moment go together, and one that comes alone begins at once', async () => {
  const { begun, write, settled, end } = heldWrites(5);
  const writes = ['a', 'b', 'c'].map(write);
  await settled();
  expect(begun).toEqual(['a b c']);
  const alone = write('d');
  await settled();
  expect(begun).toEqual(['a b c', 'd']);
  await end(0, 'written', 'as it was', 'written');
  expect(await Promise.all(writes)).toEqual([true, false, true]);
  await end(1, 'written');
  expect(await alone).toBe(true);
});

test('one write per site is under way, and requests meanwhile share the next one', async () => {
  const { begun, write, settled, end } = heldWrites(5);
  const first = write('a');
  await settled();
  const later = [write('a'), write('a'), write('a')];
  await settled();
  expect(begun).toEqual(['a']);
  await end(0, 'written');
  expect(await first).toBe(true);
  expect(begun).toEqual(['a', 'a']);
  // The second write has begun, and may miss a change from now on.
  const last = write('a');
  await end(1, 'as it was');
  expect(await Promise.all(later)).toEqual([false, false, false]);
  await end(2, 'written');
  expect(await last).toBe(true);
  expect(begun).toHaveLength(3);
});

test('two groups are under way, and what comes meanwhile is the next one', async () => {
  const { begun, write, settled, end } = heldWrites(5);
  for (const hostname of ['a', 'b', 'c', 'd', 'c', 'a']) {
    void write(hostname);
    await settled();
  }
  expect(begun).toEqual(['a', 'b']);
  await end(1, 'written');
  // A second write of "a" waits for the first one.
  expect(begun).toEqual(['a', 'b', 'c d']);
  await end(0, 'written');
  expect(begun).toEqual(['a', 'b', 'c d', 'a']);
  await end(2, 'written', 'written');
  await end(3, 'written');
});

test.each([2, 3, 5])('sites that are written alone hold up no group, with %i places', async (places) => {
  const { begun, write, settled, end } = heldWrites(places);
  const large = ['x', 'y', 'z'].map(write);
  await settled();
  await end(0, 'alone', 'alone', 'alone');
  const most = places === 5 ? 3 : 1;
  expect(begun.slice(1)).toEqual(['alone x', 'alone y', 'alone z'].slice(0, most));
  const small = write('a');
  await settled();
  expect(begun.at(-1)).toBe('a');
  await end(begun.length - 1, 'written');
  expect(await small).toBe(true);
  for (let n = 1; n < begun.length; n++) await end(n, 'written');
  expect(await Promise.all(large)).toEqual([true, true, true]);
});

test('a failing write fails for everybody who shares it, and the next one continues', async () => {
  const { write, settled, fail, end } = heldWrites(2);
  const problem = new Error('no');
  const failing = [write('a'), write('a')].map((each) => expect(each).rejects.toBe(problem));
  await settled();
  const next = write('a');
  await fail(0, problem);
  await Promise.all(failing);
  await end(1, 'written');
  expect(await next).toBe(true);
});
