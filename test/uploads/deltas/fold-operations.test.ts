import { expect, test } from 'vitest';
import { foldOperations } from '../../../src/features/uploads/deltas/fold-operations.ts';

test.each([
  ['removes', 1, { removed: 1_000_000, wanted: 0 }],
  ['replaces', 0, { removed: 999_999, wanted: 1 }],
])('an operation %s a million entries of one URL', (_, isRemoval, expected) => {
  const operation = {
    count: 1,
    removes: Uint8Array.of(isRemoval),
    hashes: new Uint8Array(12),
    xml: new Uint8Array(0),
    ends: Uint32Array.of(0),
  };
  const entries = Array.from({ length: 1_000_000 }, (_, ordinal) => ({ loc: 0n, ordinal, rest: 1 }));
  const { differences, urlCount } = foldOperations(operation, [1], new Map([[0n, entries]]), 1_000_001);
  const { removed, wanted } = differences;
  expect({ removed: removed.length, wanted: wanted.length }).toEqual(expected);
  expect(urlCount).toBe(1_000_001 - expected.removed);
});
