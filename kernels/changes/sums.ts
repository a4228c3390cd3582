/**
 * Sums over the hashes of entries, by buckets: the entries of the live upload are added, and the entries of the former one are taken
 * away. If a bucket's sum is 0, both uploads have the same entries in it, equally often, in any order.
 */
import { BUCKETS, RECORD_BYTES, SUM_BYTES } from '../../src/features/entries/kernel-layout.ts';
import { mix } from '../hash.ts';
import { DIFFERING, RECORDS } from './places.ts';

/** For each bucket: the sum in 48 bits, then the number of added and taken entries in 16 bits. */
let sums: i32 = 0;
const COUNT_BITS: u64 = 16;
const MAX_COUNT: u64 = (1 << COUNT_BITS) - 1;

/** The memory of the sums, SUM_BYTES for each bucket, must be zero. */
export function beginSums(at: i32): void {
  sums = at;
}

/**
 * Adds the records of a live file, or takes the records of a former file away. If a bucket has more entries than its count can hold, its
 * sum becomes wrong. Then the bucket differs, and its entries are compared.
 */
export function sum(records: i32, isLive: bool): void {
  for (let record = RECORDS, end = RECORDS + records * RECORD_BYTES; record < end; record += RECORD_BYTES) {
    const key = load<u64>(record);
    const value = mix(key ^ ((<u64>load<u32>(record, 8)) << 33)) << COUNT_BITS;
    const at = sums + <i32>(key & (BUCKETS - 1)) * SUM_BYTES;
    store<u64>(at, load<u64>(at) + (isLive ? value : 0 - value) + 1);
  }
}

/**
 * Marks the buckets whose sum is not 0, and no others. Returns the number of their entries on both sides: 0 if no bucket differs. If a
 * bucket has passed the limit of its count, its number is too small. Most of its entries then repeat one entry.
 */
export function markDiffering(): i32 {
  let entries = 0;
  memory.fill(DIFFERING, 0, BUCKETS / 8);
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const sum = load<u64>(sums + bucket * SUM_BYTES);
    if (sum >> COUNT_BITS === 0) continue;
    const count = <i32>(sum & MAX_COUNT);
    // After MAX_COUNT + 1 entries, a count is 0 again.
    entries += count === 0 ? <i32>MAX_COUNT : count;
    const word = DIFFERING + (bucket >> 5) * 4;
    store<u32>(word, load<u32>(word) | (1 << (bucket & 31)));
  }
  return entries;
}

/** Whether entries with this hash may differ. */
export function mayDiffer(key: u64): bool {
  const bucket = <i32>(key & (BUCKETS - 1));
  return ((load<u32>(DIFFERING + (bucket >> 5) * 4) >> (bucket & 31)) & 1) !== 0;
}
