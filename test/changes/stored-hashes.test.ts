/** Comparisons of files whose hashes an upload stored beside them, judged by a naive map and by the same files without hashes. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Entry } from '../../src/core/sitemap/entry.ts';
import { cutFiles } from '../../src/features/sites/cut-files.ts';
import { MIN_HASHED_ENTRIES, readFileHashes } from '../../src/features/sites/file-hashes.ts';
import type { Fragment } from '../../src/features/sites/fragment.ts';
import { BatchRenderer } from '../../src/features/uploads/batch-renderer.ts';
import { ENTRIES_PER_FRAGMENT } from '../../src/features/uploads/fragment.ts';
import { hashesOf } from '../../src/features/uploads/staged-hashes.ts';
import { casesOf } from '../support/property-runs.ts';
import { batchOf } from '../uploads/batches.ts';
import { compareInMemory, fileOf, type MemoryFile, naiveChanges, naivePack } from './compared-files.ts';

const SEED = 0xfedcba9876543210n;
const FILES = 2;
const ENTRIES = FILES * MIN_HASHED_ENTRIES;

const entryOf = (i: number): Entry =>
  ({ loc: `https://example.com/p/${i}?a=1&b='${i}`, priority: 0.5 }) as Entry;
const inOrder = Array.from({ length: ENTRIES }, (_, i) => entryOf(i));

/** Files as an upload writes them, with their hashes. */
async function uploaded(entries: readonly Entry[], seed = SEED): Promise<MemoryFile[]> {
  const files: MemoryFile[] = [];
  for await (const file of cutFiles(fragmentsOf(entries, seed), () => MIN_HASHED_ENTRIES)) {
    const first = files.length * MIN_HASHED_ENTRIES;
    const hashes = hashesOf(file, seed);
    files.push({
      ...fileOf(entries.slice(first, first + file.entries)),
      stored: Buffer.concat(file.parts),
      hashes: hashes && Buffer.concat(hashes),
    });
  }
  return files;
}

async function* fragmentsOf(
  entries: readonly Entry[],
  seed: bigint,
): AsyncGenerator<Fragment, void, undefined> {
  const renderer = new BatchRenderer(true, seed);
  for (let at = 0; at < entries.length; at += ENTRIES_PER_FRAGMENT) {
    const result = renderer.render(batchOf(entries.slice(at, at + ENTRIES_PER_FRAGMENT), at));
    if (result.kind !== 'fragments') throw new Error(result.kind);
    yield* result.fragments;
  }
}

let former: MemoryFile[];
beforeAll(async () => {
  former = await uploaded(inOrder);
});

const reads = (asked: readonly string[]) =>
  [...new Set(asked)].filter((ask) => ask.startsWith('read')).sort();

test('a list in another order has no changes, and no file is read', async () => {
  const live = await uploaded(inOrder.toReversed());
  const { end, changes, asked } = await compareInMemory(former, live);
  expect(end).toMatchObject({
    kind: 'compared',
    origins: { former: { 'https://example.com': ENTRIES }, live: { 'https://example.com': ENTRIES } },
  });
  expect(changes).toEqual({ added: [], changed: [], removed: [] });
  expect(reads(asked)).toEqual([]);
});

describe('a few changes are found where they are:', () => {
  const changed = (i: number) => ({ ...inOrder[i]!, priority: 1 });
  const swapped = inOrder.with(3, inOrder[15_000]!).with(15_000, inOrder[3]!);
  test.each<[string, Entry[], string[]]>([
    ['the first entry changes', inOrder.with(0, changed(0)), ['read live 1']],
    ['the last entry changes', inOrder.with(-1, changed(ENTRIES - 1)), ['read live 2']],
    ['one is replaced', inOrder.with(12_345, entryOf(-1)), ['read former 2', 'read live 2']],
    ['two change places between files', swapped, []],
    ['one is missing', inOrder.toSpliced(77, 1), ['read former 1']],
    [
      'every third changes',
      inOrder.map((entry, i) => (i % 3 === 0 ? changed(i) : entry)),
      ['read live 1', 'read live 2'],
    ],
  ])('%s', async (_, entries, expected) => {
    const live = await uploaded(entries);
    const { changes, lines, asked, packed } = await compareInMemory(former, live);
    expect(changes).toEqual(naiveChanges(former, live));
    expect(packed).toEqual(naivePack(former, live));
    expect(lines).toEqual(changes);
    // The last file has fewer entries then, and no hashes.
    const isShort = entries.length < ENTRIES;
    expect(reads(asked)).toEqual(isShort ? [...expected, 'read live 2'] : expected);
  });
});

test('any changes, orders and repetitions, in one slice or many, with hashes on any files', async () => {
  const edits = fc.array(
    fc.record({
      at: fc.nat(ENTRIES - 1),
      kind: fc.constantFrom('change', 'new', 'repeat', 'move'),
      other: fc.nat(ENTRIES - 1),
    }),
    { maxLength: 30 },
  );
  const withHashes = fc.array(fc.boolean(), { minLength: 2 * FILES, maxLength: 2 * FILES });
  await fc.assert(
    fc.asyncProperty(edits, withHashes, fc.boolean(), async (list, kept, isSliced) => {
      const entries = [...inOrder];
      for (const { at, kind, other } of list) {
        if (kind === 'change') entries[at] = { ...entries[at]!, priority: 0.9 };
        else if (kind === 'new') entries[at] = entryOf(-other - 1);
        else if (kind === 'repeat') entries[at] = entries[other]!;
        else [entries[at], entries[other]] = [entries[other]!, entries[at]!];
      }
      const live = (await uploaded(entries)).map((file, i) =>
        kept[i] ? file : { ...file, hashes: undefined },
      );
      const before = former.map((file, i) => (kept[FILES + i] ? file : { ...file, hashes: undefined }));
      const { changes, end, packed } = await compareInMemory(
        before,
        live,
        isSliced ? { maxSlots: 8000 } : {},
      );
      expect(changes).toEqual(naiveChanges(former, live));
      expect(packed).toEqual(naivePack(former, live));
      expect(end).toMatchObject({ origins: { live: { 'https://example.com': ENTRIES } } });
    }),
    // Each run renders 20,000 entries.
    { numRuns: casesOf(12) },
  );
});

test('hashes that are damaged, cut, of another file or with another seed are not used', async () => {
  const entries = inOrder.with(7, { ...inOrder[7]!, priority: 1 });
  const live = await uploaded(entries);
  const expected = naiveChanges(former, live);
  const hashes = live[0]!.hashes!;
  const flipped = Buffer.from(hashes);
  flipped[hashes.length - 5]! ^= 1;
  const bad = [
    flipped,
    hashes.subarray(0, -12),
    hashes.subarray(0, 20),
    Buffer.alloc(0),
    Buffer.alloc(hashes.length),
  ];
  for (const one of bad) {
    const { changes, asked } = await compareInMemory(former, [{ ...live[0]!, hashes: one }, live[1]!]);
    expect(changes).toEqual(expected);
    expect(reads(asked)).toContain('read live 1');
  }
  const other = await compareInMemory(await uploaded(inOrder, 5n), live);
  expect(other.changes).toEqual(expected);
  expect(reads(other.asked)).toEqual(['read former 1', 'read former 2', 'read live 1']);
});

test('any flipped bit of the object is noticed', async () => {
  const hashes = former[0]!.hashes!;
  expect(readFileHashes(hashes, MIN_HASHED_ENTRIES)).toMatchObject({
    seed: SEED,
    entries: MIN_HASHED_ENTRIES,
    origin: 'https://example.com',
  });
  expect(readFileHashes(hashes, MIN_HASHED_ENTRIES + 1)).toBeUndefined();
  fc.assert(
    fc.property(fc.nat(hashes.length - 1), fc.nat(7), (at, bit) => {
      const flipped = Buffer.from(hashes);
      flipped[at]! ^= 1 << bit;
      expect(readFileHashes(flipped, MIN_HASHED_ENTRIES)).toBeUndefined();
    }),
  );
});

test('a first upload is counted by its hashes alone', async () => {
  const { end, asked } = await compareInMemory([], [], { counted: former });
  expect(end).toMatchObject({ origins: { counted: { 'https://example.com': ENTRIES } } });
  expect(reads(asked)).toEqual([]);
});

test('entries of several origins, and few entries, have no hashes', async () => {
  const mixed = await uploaded(inOrder.with(9_999, { loc: 'https://www.example.com/' } as Entry));
  expect(mixed.map(({ hashes }) => hashes !== undefined)).toEqual([false, true]);
  const few = await uploaded(inOrder.slice(0, MIN_HASHED_ENTRIES - 1));
  expect(few.map(({ hashes }) => hashes)).toEqual([undefined]);
});

test('so many repetitions that a bucket cannot count them hide no change', async () => {
  const [before, after] = [0.5, 0.8].map(
    (priority) => ({ loc: 'https://example.com/again', priority }) as Entry,
  );
  const list = (repeated: Entry) => [
    ...inOrder.slice(0, 4464),
    ...Array<Entry>(32_768).fill(repeated),
    ...inOrder.slice(4464, 7232),
  ];
  const [a, b] = [await uploaded(list(before!)), await uploaded(list(after!))];
  const { changes } = await compareInMemory(a, b);
  expect(changes).toEqual({ added: [], changed: ['https://example.com/again'], removed: [] });
});

test('a fragment with a flipped bit gives no wrong URL', async () => {
  const live = await uploaded(inOrder.with(5_500, { ...inOrder[5_500]!, priority: 1 }));
  const { firstFragmentAt, fragments } = readFileHashes(live[0]!.hashes!, MIN_HASHED_ENTRIES)!;
  const from = fragments.slice(0, 5).reduce((sum, { deflatedBytes }) => sum + deflatedBytes, firstFragmentAt);
  await fc.assert(
    fc.asyncProperty(fc.nat(fragments[5]!.deflatedBytes - 1), fc.nat(7), async (at, bit) => {
      const stored = Buffer.from(live[0]!.stored!);
      stored[from + at]! ^= 1 << bit;
      const { end, changes } = await compareInMemory(former, [{ ...live[0]!, stored }, live[1]!]);
      if (end.kind === 'compared')
        expect(changes).toEqual({ added: [], changed: [inOrder[5_500]!.loc], removed: [] });
      else expect(end.kind).toBe('damaged');
    }),
    { numRuns: casesOf(40) },
  );
});

test('a head whose fragments do not have all entries is not used', async () => {
  const hashes = Buffer.from(former[0]!.hashes!);
  hashes.writeUInt32LE(999, 32 + 12);
  hashes.writeUInt32LE(crc32(hashes.subarray(8)), 4);
  expect(readFileHashes(hashes, MIN_HASHED_ENTRIES)).toBeUndefined();
});

test('fragments that are elsewhere than the head says are found in the whole file', async () => {
  const live = await uploaded(inOrder.with(5_500, { ...inOrder[5_500]!, priority: 1 }));
  const hashes = Buffer.from(live[0]!.hashes!);
  hashes.writeUInt32LE(hashes.readUInt32LE(28) + 1, 28);
  hashes.writeUInt32LE(crc32(hashes.subarray(8)), 4);
  const { changes } = await compareInMemory(former, [{ ...live[0]!, hashes }, live[1]!]);
  expect(changes).toEqual({ added: [], changed: [inOrder[5_500]!.loc], removed: [] });
});

test('a host with a character that XML escapes is counted as in a file without hashes', async () => {
  const odd = await uploaded(inOrder.map((_, i) => ({ loc: `https://a&b.example/${i}` }) as Entry));
  const { end } = await compareInMemory([], [], { counted: odd });
  const { end: without } = await compareInMemory([], [], {
    counted: odd.map((file) => ({ ...file, hashes: undefined })),
  });
  expect(end).toEqual(without);
});

test('where the first files have no hashes, nobody looks for more', async () => {
  const bare = (files: readonly MemoryFile[]) => files.map((file) => ({ ...file, hashes: undefined }));
  const { asked } = await compareInMemory(bare(former), bare(await uploaded(inOrder.toReversed())));
  expect(asked.filter((ask) => ask.startsWith('hashes'))).toEqual(['hashes live 1', 'hashes former 1']);
});

test('the hashes are those that are stored: other ones need another FORM', async () => {
  const [file] = await uploaded(inOrder);
  const { hashes } = readFileHashes(file!.hashes!, MIN_HASHED_ENTRIES)!;
  const digest = createHash('sha256').update(hashes).digest('hex');
  expect(digest).toBe('06c8fc76fd2fc71909bc95fea0626f4a463c6fda3769604366723a5fd464c7bf');
});
