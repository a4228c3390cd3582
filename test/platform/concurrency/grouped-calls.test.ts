import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { GroupedCalls } from '../../../src/platform/concurrency/grouped-calls.ts';

/** Calls whose groups end on demand. An item is its owner and a number, as in `a1`. */
function heldGroups(most: number, gathers = 0) {
  const begun: (readonly string[])[] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  const calls = new GroupedCalls<string, string>(
    async (items) => {
      begun.push(items);
      const end = Promise.withResolvers<void>();
      ends.push(end);
      await end.promise;
      return items.map((item) => ({ value: item.toUpperCase() }));
    },
    { most, gathers, ownerOf: (item) => item[0]!, isOfMember: (error) => error === 'of a member' },
  );
  return { begun, ends, run: (item: string) => calls.run(item) };
}

test('a call that comes alone begins at once, and those that come meanwhile are the next group', async () => {
  const { begun, ends, run } = heldGroups(10);
  const first = run('a1');
  await Promise.resolve();
  expect(begun).toEqual([['a1']]);
  const others = [run('a2'), run('a3')];
  ends[0]!.resolve();
  expect(await first).toBe('A1');
  await expect.poll(() => begun).toEqual([['a1'], ['a2', 'a3']]);
  ends[1]!.resolve();
  expect(await Promise.all(others)).toEqual(['A2', 'A3']);
});

test('owners take turns, and what one of them asks stays in order', async () => {
  const { begun, ends, run } = heldGroups(3);
  const calls = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map(run);
  for (const n of [0, 1, 2]) {
    await expect.poll(() => ends.length).toBe(n + 1);
    ends[n]!.resolve();
  }
  expect(begun).toEqual([['a1', 'b1', 'c1'], ['a2', 'b2', 'a3'], ['a4']]);
  expect(await Promise.all(calls)).toEqual(['A1', 'A2', 'A3', 'A4', 'B1', 'B2', 'C1']);
});

test('a group that fails because of a member is done again, member by member', async () => {
  const { begun, ends, run } = heldGroups(10);
  const calls = ['a1', 'a2'].map(run);
  await expect.poll(() => ends.length).toBe(1);
  ends[0]!.reject('of a member');
  await expect.poll(() => ends.length).toBe(2);
  ends[1]!.reject('of a member');
  await expect.poll(() => ends.length).toBe(3);
  ends[2]!.resolve();
  await expect(calls[0]).rejects.toBe('of a member');
  expect(await calls[1]).toBe('A2');
  expect(begun).toEqual([['a1', 'a2'], ['a1'], ['a2']]);
});

test('an outage fails the whole group at once', async () => {
  const { begun, ends, run } = heldGroups(10);
  const calls = ['a1', 'a2'].map((item) => expect(run(item)).rejects.toBe('outage'));
  await expect.poll(() => ends.length).toBe(1);
  ends[0]!.reject('outage');
  await Promise.all(calls);
  expect(begun).toHaveLength(1);
});

describe('a group gathers calls', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  const passes = (ms: number) => vi.advanceTimersByTimeAsync(ms);

  /** Groups of which the last one had three calls and took 20 ms. */
  async function afterThree(gathers: number) {
    const groups = heldGroups(10, gathers);
    for (const items of [['a1'], ['a2', 'a3', 'a4']]) {
      for (const item of items) void groups.run(item);
      await passes(20);
      groups.ends.at(-1)!.resolve();
      await passes(0);
    }
    return groups;
  }

  test('until it has as many as the one before', async () => {
    const { begun, run } = await afterThree(10);
    for (const item of ['a5', 'a6']) {
      void run(item);
      await passes(5);
    }
    expect(begun).toHaveLength(2);
    void run('a7');
    await passes(0);
    expect(begun.at(-1)).toEqual(['a5', 'a6', 'a7']);
  });

  test('while its first call waits no longer than that one took', async () => {
    const { begun, run } = await afterThree(10);
    await passes(1000);
    void run('a5');
    await passes(19);
    void run('a6');
    await passes(0);
    expect(begun).toHaveLength(2);
    await passes(1);
    expect(begun.at(-1)).toEqual(['a5', 'a6']);
  });

  test('until it has the most for which groups wait', async () => {
    const { begun, run } = await afterThree(2);
    void run('a5');
    await passes(0);
    expect(begun).toHaveLength(2);
    void run('a6');
    await passes(0);
    expect(begun.at(-1)).toEqual(['a5', 'a6']);
  });

  test('and after two groups of one call, it begins at once', async () => {
    const { begun, ends, run } = await afterThree(10);
    for (const item of ['a5', 'a6']) {
      void run(item);
      await passes(20);
      ends.at(-1)!.resolve();
      await passes(0);
    }
    void run('a7');
    await passes(0);
    expect(begun.at(-1)).toEqual(['a7']);
  });
});
