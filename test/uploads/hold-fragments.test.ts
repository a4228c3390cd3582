import { describe, expect, test } from 'vitest';
import type { Fragment } from '../../src/features/sites/fragment.ts';
import { HoldBudget } from '../../src/features/uploads/hold-budget.ts';
import { holdFragments } from '../../src/features/uploads/hold-fragments.ts';
import { collect } from '../support/collect.ts';

const MIB = 1024 * 1024;

function fragmentOf(deflatedBytes: number): Fragment {
  const deflated = new Uint8Array(deflatedBytes);
  return { deflated, bytes: deflatedBytes, crc: 0, entries: 1, newsEntries: 0, namespaces: 0 };
}

/** Counts the fragments taken from it. */
function sourceOf(fragments: readonly Fragment[]) {
  const source = { taken: 0, hasEnded: false };
  async function* stream() {
    for (const fragment of fragments) {
      source.taken++;
      yield fragment;
    }
    source.hasEnded = true;
  }
  return { source, stream: stream() };
}

test('the first fragment waits for the end while more members may follow', async () => {
  const fragments = [1, 2, 3].map(fragmentOf);
  const { source, stream } = sourceOf(fragments);
  const held = holdFragments(stream, () => true, new HoldBudget().open('a'));
  expect((await held.next()).value).toBe(fragments[0]);
  expect(source.hasEnded).toBe(true);
  expect(await collect(held)).toEqual(fragments.slice(1));
});

test('nothing waits when no more members may follow', async () => {
  const fragments = [1, 2, 3].map(fragmentOf);
  const { source, stream } = sourceOf(fragments);
  const held = holdFragments(stream, () => false, new HoldBudget().open('a'));
  await held.next();
  expect(source.taken).toBe(1);
  expect(await collect(held)).toEqual(fragments.slice(1));
});

test('no more than 16 MiB wait', async () => {
  const fragments = Array.from({ length: 40 }, () => fragmentOf(MIB));
  const { source, stream } = sourceOf(fragments);
  const held = holdFragments(stream, () => true, new HoldBudget().open('a'));
  await held.next();
  // The fragment that exceeds the room continues with the others.
  expect(source.taken).toBe(17);
  expect(await collect(held)).toHaveLength(39);
});

test('an empty source gives nothing', async () => {
  expect(await collect(holdFragments(sourceOf([]).stream, () => true, new HoldBudget().open('a')))).toEqual(
    [],
  );
});

describe('the budget', () => {
  /** Holds all bytes, and waits for more. */
  function holding(budget: HoldBudget, account: string, bytes: number) {
    const isOver = Promise.withResolvers<void>();
    async function* stream() {
      yield fragmentOf(bytes);
      await isOver.promise;
    }
    const held = holdFragments(stream(), () => true, budget.open(account));
    const first = held.next();
    first.catch(() => {});
    return { held, first, end: isOver.resolve, fail: isOver.reject };
  }
  /** The number of one-byte fragments, of five, that are read before the first one continues. */
  async function heldOf(budget: HoldBudget, account: string): Promise<number> {
    const { source, stream } = sourceOf([1, 1, 1, 1, 1].map(fragmentOf));
    const held = holdFragments(stream, () => true, budget.open(account));
    await held.next();
    const { taken } = source;
    await held.return();
    return taken;
  }

  test('is shared by all uploads of an account, and of all accounts', async () => {
    const budget = new HoldBudget({ perAccount: 10, inAll: 15 });
    const mine = holding(budget, 'mine', 8);
    await expect.poll(() => budget.heldBytes).toBe(8);
    expect(await heldOf(budget, 'mine')).toBe(3);
    expect(await heldOf(budget, 'theirs')).toBe(5);
    const theirs = holding(budget, 'theirs', 6);
    await expect.poll(() => budget.heldBytes).toBe(14);
    expect(await heldOf(budget, 'others')).toBe(2);
    expect(budget.heldBytes).toBe(14);
    for (const { end, held } of [mine, theirs]) {
      end();
      await collect(held);
    }
    expect(budget.heldBytes).toBe(0);
  });

  test('is returned by a failing upload, and by an upload whose reader fails', async () => {
    const budget = new HoldBudget({ perAccount: 10, inAll: 15 });
    const failed = holding(budget, 'a', 8);
    await expect.poll(() => budget.heldBytes).toBe(8);
    failed.fail(new Error('client gone'));
    await expect(failed.first).rejects.toThrow('client gone');
    expect(budget.heldBytes).toBe(0);

    const left = holding(budget, 'a', 8);
    await expect.poll(() => budget.heldBytes).toBe(8);
    left.end();
    await left.first;
    await left.held.return();
    expect(budget.heldBytes).toBe(0);
    expect(await heldOf(budget, 'a')).toBe(5);
  });

  test('is returned when the document has named the missing member', async () => {
    const budget = new HoldBudget({ perAccount: 10, inAll: 15 });
    let isMoreToCome = true;
    const { stream } = sourceOf([3, 3, 3].map(fragmentOf));
    async function* until() {
      let n = 0;
      for await (const fragment of stream) {
        if (++n === 2) isMoreToCome = false;
        yield fragment;
      }
    }
    const held = holdFragments(until(), () => isMoreToCome, budget.open('a'));
    for (let n = 1; n <= 3; n++) await held.next();
    expect(budget.heldBytes).toBe(0);
    await held.return();
  });
});
