/**
 * The memory that the kernel shares with its host (../entry-kernel.ts), in this order. The host says where the table
 * and the text begin.
 *
 * ```
 * records   RECORD_BYTES for each entry that a scan found. A comparison puts its events in their place
 * origins   ORIGIN_BYTES for each slot of the table of origins
 * names     the texts of the origins, one after the other
 * files     a byte for each former file: whether it has entries that the live upload lacks
 * table     SLOT_BYTES for each slot
 * text      the XML of a file, as far as it has arrived and is not scanned, then PADDING
 * ```
 */

/**
 * | at | a record | an event |
 * |---|---|---|
 * | 0 | u64: hash of `loc` | u32: where `loc` begins |
 * | 4 | | u32: its length |
 * | 8 | u32: hash of the rest, 31 bits | u32: ADDED, CHANGED or REMOVED |
 * | 12, 16 | u32: where `loc` begins, its length | |
 */
export const RECORD_BYTES: i32 = 24;
export const EVENT_BYTES: i32 = 12;
/** Few enough for the first-level cache. */
export const MAX_RECORDS: i32 = 1024;

/**
 * | at | a slot of the table |
 * |---|---|
 * | 0 | u64: the low 48 bits of the hash of `loc`, then 16 bits: the former file, from 1, or IN_NO_FORMER_FILE. 0: free |
 * | 8 | u32: the hash of the rest, then one bit: whether the live upload has this `loc` |
 */
export const SLOT_BYTES: i32 = 12;
export const IN_NO_FORMER_FILE: u64 = 0xffff;
export const FILE_FLAGS: i32 = 0x10000;

/**
 * | at | a slot of the table of origins |
 * |---|---|
 * | 0 | u64: hash, never 0. 0: free |
 * | 8 | u32: URLs |
 * | 12, 16 | u32: where the name is, its length |
 */
export const ORIGIN_BYTES: i32 = 24;
export const ORIGIN_SLOTS: i32 = 0x8000;
/** Half of the slots. */
export const MAX_ORIGINS: i32 = 0x4000;
export const NAME_BYTES: i32 = 0x200000;

/** Vector reads may touch so many bytes behind the text. */
export const PADDING: i32 = 32;

/** Where the records begin. */
export const RECORDS: i32 = (<i32>__heap_base + 15) & -16;
export const ORIGINS: i32 = RECORDS + MAX_RECORDS * RECORD_BYTES;
export const NAMES: i32 = ORIGINS + ORIGIN_SLOTS * ORIGIN_BYTES;
export const FILES: i32 = NAMES + NAME_BYTES + PADDING;
/** Where the table may begin. */
export const END: i32 = FILES + FILE_FLAGS;
