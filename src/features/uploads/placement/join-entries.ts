/**
 * Joins the entries of the live generation with those of the new upload, as multisets:
 *
 * ```
 * sums of the hashes by buckets → the buckets that differ
 * for each slice of these:        equal entries · then the same `loc` (changed) · all others are removed, or new
 * ```
 */
import { EntryKernel, RECORD_WORDS, type Slice, WHOLE } from '../../entries/entry-kernel.ts';
import type { EntryReader } from './entry-reader.ts';
import { SliceTable, TooManyEqual } from './slice-table.ts';
import { U32List } from './u32-list.ts';

/** Entries by their ordinals. The ordinal of an entry is the number of entries before it, over all files of its side. */
export interface Differences {
  /** Ordinals of the former side, ascending. */
  readonly removed: Uint32Array;
  /** The entries of the new upload that are new or changed, ascending. */
  readonly wanted: Uint32Array;
  /** For each of `wanted`, the former entry with the same `loc`, or NEW. */
  readonly replaced: Uint32Array;
}

export const NEW = 0xffffffff;

/** The most entries of a slice, of both sides together. They take some 25 MB. */
const MAX_IN_SLICE = 1_500_000;
/** The most slices. Each slice reads the hashes again. */
const MAX_SLICES = 32;
/** The most differences. The plan has some 50 bytes for each. */
const MAX_DIFFERENCES = 2_000_000;
const HASHES = 2 ** 32;

/**
 * Joins the entries of both sides. `maxWanted`: the most entries that may be new or changed. Returns undefined if there are too many
 * differences, or if the join takes too many steps. Throws DamagedFile.
 */
export async function joinEntries(
  reader: EntryReader,
  seed: bigint,
  maxWanted: number,
): Promise<Differences | undefined> {
  const kernel = new EntryKernel(0, true);
  kernel.begin(WHOLE, seed, false);
  for (const side of ['former', 'live'] as const) {
    for await (const { entries } of reader.all(side)) kernel.sumHashes(entries.hashes, side);
  }
  const { buckets, entries } = kernel.differing();
  kernel.lookAt(buckets);
  const count = Math.ceil(entries / MAX_IN_SLICE);
  if (count > MAX_SLICES) return undefined;
  const found: Found = { removed: new U32List(), wanted: new U32List(), replaced: new U32List() };
  for (let i = 0; i < count; i++) {
    const from = Math.floor((HASHES / count) * i);
    const slice = { from, length: Math.floor((HASHES / count) * (i + 1)) - from };
    try {
      await joinSlice(reader, kernel, seed, slice, found);
    } catch (error) {
      if (error instanceof TooManyEqual) return undefined;
      throw error;
    }
    // Each slice has about the same share of the differences, because hashes are random. So stop early when the share is too large.
    if (found.wanted.length / (i + 1) > (1.05 * maxWanted) / count + 1000) return undefined;
  }
  if (found.wanted.length > maxWanted || found.wanted.length + found.removed.length > MAX_DIFFERENCES)
    return undefined;
  return sorted(found);
}

type Found = Readonly<Record<keyof Differences, U32List>>;

async function joinSlice(
  reader: EntryReader,
  kernel: EntryKernel,
  seed: bigint,
  slice: Slice,
  { removed, wanted, replaced }: Found,
): Promise<void> {
  kernel.begin(slice, seed, false);
  const table = new SliceTable();
  for await (const { first, entries } of reader.all('former')) {
    for (const records of kernel.recordsOf(entries.hashes)) table.add(records, first);
  }
  table.close();
  const others = { low: new U32List(), high: new U32List(), ordinals: new U32List() };
  for await (const { first, entries } of reader.all('live')) {
    for (const records of kernel.recordsOf(entries.hashes)) {
      for (let at = 0; at < records.length; at += RECORD_WORDS) {
        const [low, high] = [records[at]!, records[at + 1]!];
        if (table.take(low, high, records[at + 2]!) >= 0) continue;
        others.low.push(low);
        others.high.push(high);
        others.ordinals.push(first + records[at + 3]!);
      }
    }
  }
  // Match by `loc` only now. A former entry must first be taken by an equal entry, wherever that stands in the upload.
  const [lows, highs] = [others.low.view(), others.high.view()];
  for (const [i, ordinal] of others.ordinals.view().entries()) {
    const former = table.take(lows[i]!, highs[i]!, undefined);
    wanted.push(ordinal);
    replaced.push(former < 0 ? NEW : former);
  }
  for (const ordinal of table.left()) removed.push(ordinal);
  table.free();
}

function sorted({ removed, wanted, replaced }: Found): Differences {
  const order = sortedOrder(wanted.view());
  return {
    removed: removed.view().slice().sort(),
    wanted: Uint32Array.from(order, (i) => wanted.view()[i]!),
    replaced: Uint32Array.from(order, (i) => replaced.view()[i]!),
  };
}

/** Returns the indexes of the numbers, in the order of ascending numbers. */
export function sortedOrder(numbers: Uint32Array): Uint32Array {
  const keys = new BigUint64Array(numbers.length);
  for (const [i, number] of numbers.entries()) keys[i] = (BigInt(number) << 32n) | BigInt(i);
  keys.sort();
  return Uint32Array.from(keys, (key) => Number(key & 0xffffffffn));
}
