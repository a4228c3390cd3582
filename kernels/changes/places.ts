/** The places of the parts of the memory that the kernel shares with its host. */
import {
  BUCKETS,
  FILE_FLAGS,
  MAX_RECORDS,
  NAME_BYTES,
  ORIGIN_BYTES,
  ORIGIN_SLOTS,
  PADDING,
  RECORD_BYTES,
} from '../../src/features/entries/kernel-layout.ts';

export const RECORDS: i32 = (<i32>__heap_base + 15) & -16;
export const ORIGINS: i32 = RECORDS + MAX_RECORDS * RECORD_BYTES;
export const NAMES: i32 = ORIGINS + ORIGIN_SLOTS * ORIGIN_BYTES;
export const FILES: i32 = NAMES + NAME_BYTES + PADDING;
export const DIFFERING: i32 = FILES + FILE_FLAGS;
/** The place where the sums or the table may begin. */
export const END: i32 = DIFFERING + BUCKETS / 8;
