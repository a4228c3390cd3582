import { expect, test } from 'vitest';
import { BatchRenderer } from '../../src/features/uploads/batch-renderer.ts';
import { ViolationKinds } from '../../src/features/uploads/violation-kinds.ts';
import { batchOf } from './batches.ts';

const LOC = 'https://example.com/';
const renderer = new BatchRenderer();

function kindsIn(entries: readonly object[], firstIndex = 0, reading?: { dates: 'iso' }) {
  const result = renderer.render({ ...batchOf(entries, firstIndex), ...(reading && { reading }) }, 'skip');
  return result.kind === 'fragments' ? (result.rejected?.kinds ?? []) : [];
}

test('violations of JSON are counted over batches, with the first place and what mends all of a kind', () => {
  const kinds = new ViolationKinds();
  const iso = { dates: 'iso' } as const;
  kinds.addAll(kindsIn([{ loc: LOC }, { loc: LOC, lastmod: '3/4/2026' }, { loc: 'x' }], 5, iso));
  kinds.addAll(
    kindsIn(
      [
        { loc: LOC, lastmod: '1/15/2026 9:00' },
        { loc: LOC, images: [{ loc: 'y' }] },
      ],
      8,
      iso,
    ),
  );
  expect(kinds.told).toMatchObject([
    { field: 'lastmod', count: 2, index: 6, value: '3/4/2026', cures: [{ dates: 'mdy', timezone: 'UTC' }] },
    { field: 'loc', count: 1, index: 7, value: 'x', cures: [] },
    { field: 'images[].loc', count: 1, index: 9, value: 'y', cures: [] },
  ]);
  expect(kinds.told.every((kind) => !('line' in kind))).toBe(true);
});

test('a kind with one value that nothing mends has no cure', () => {
  const kinds = new ViolationKinds();
  kinds.addAll(kindsIn([{ loc: LOC, lastmod: '2026-01-15 10:00' }]));
  expect(kinds.told).toMatchObject([{ cures: [{ dates: 'iso', timezone: 'UTC' }] }]);
  kinds.addAll(kindsIn([{ loc: LOC, lastmod: 'never' }]));
  kinds.addAll(kindsIn([{ loc: LOC, lastmod: '2026-01-15 10:00' }]));
  expect(kinds.told).toMatchObject([{ count: 3, cures: [] }]);
});

test('no more than 20 kinds are counted', () => {
  const kinds = new ViolationKinds();
  for (let n = 0; n < 30; n++)
    kinds.add({ field: `f${n}`, value: n, message: 'is wrong', index: n }, undefined);
  expect(kinds.told).toHaveLength(20);
});
