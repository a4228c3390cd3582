import { expect, test } from 'vitest';
import type { Fragment } from '../../src/uploads/fragment.ts';
import { holdFragments } from '../../src/uploads/hold-fragments.ts';
import { collect } from '../support/collect.ts';

const MIB = 1024 * 1024;

function fragmentOf(deflatedBytes: number): Fragment {
  const deflated = new Uint8Array(deflatedBytes);
  return { deflated, bytes: deflatedBytes, crc: 0, entries: 1, newsEntries: 0, namespaces: 0 };
}

/** Counts how many were taken from it. */
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

test('the first fragment waits for the end while more is to come', async () => {
  const fragments = [1, 2, 3].map(fragmentOf);
  const { source, stream } = sourceOf(fragments);
  const held = holdFragments(stream, () => true);
  expect((await held.next()).value).toBe(fragments[0]);
  expect(source.hasEnded).toBe(true);
  expect(await collect(held)).toEqual(fragments.slice(1));
});

test('nothing waits when no more is to come', async () => {
  const fragments = [1, 2, 3].map(fragmentOf);
  const { source, stream } = sourceOf(fragments);
  const held = holdFragments(stream, () => false);
  await held.next();
  expect(source.taken).toBe(1);
  expect(await collect(held)).toEqual(fragments.slice(1));
});

test('no more than 16 MiB wait', async () => {
  const fragments = Array.from({ length: 40 }, () => fragmentOf(MIB));
  const { source, stream } = sourceOf(fragments);
  const held = holdFragments(stream, () => true);
  await held.next();
  expect(source.taken).toBe(16);
  expect(await collect(held)).toHaveLength(39);
});

test('an empty source gives nothing', async () => {
  expect(await collect(holdFragments(sourceOf([]).stream, () => true))).toEqual([]);
});
