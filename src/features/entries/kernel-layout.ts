/**
 * The memory that the kernel shares with its host (entry-kernel.ts), in this order. The host says where the table and the
 * text begin. AssemblyScript reads this file too.
 *
 * ```
 * records   RECORD_BYTES for each entry that a scan found; `match` and `unseen` overwrite records with events
 * origins   ORIGIN_BYTES for each slot of the table of origins
 * names     the texts of the origins, one after the other
 * files     a byte for each former file: whether it has entries that the live upload lacks
 * differing a bit for each bucket of hashes: whether its entries are looked at
 * sums      SUM_BYTES for each bucket, if there are sums
 * table     SLOT_BYTES for each slot
 * text      the XML of a file, as far as it has arrived and is not scanned, then PADDING
 * ```
 */

/**
 * The fields by their offset in bytes:
 *
 * | offset | in a record | in an event |
 * |---|---|---|
 * | 0 | u64: hash of `loc` | u32: address of `loc`, or the ordinal of its entry |
 * | 4 | | u32: length of `loc`, or 0 |
 * | 8 | u32: hash of the rest of the entry, 31 bits | u32: ADDED, CHANGED or REMOVED |
 * | 12, 16 | u32: address of `loc`, length of `loc`; from stored hashes: the ordinal of the entry, 0 | |
 */
export const RECORD_BYTES = 24;
export const EVENT_BYTES = 12;
/** The most records at once. They fit into the first-level cache of a processor. */
export const MAX_RECORDS = 1024;

/**
 * | offset | in a slot of the table |
 * |---|---|
 * | 0 | u64: the low 48 bits of the hash of `loc`, then 16 bits: the former file, from 1, or IN_NO_FORMER_FILE; 0: free |
 * | 8 | u32: the hash of the rest of the entry, then one bit: whether the live upload has this `loc` |
 */
export const SLOT_BYTES = 12;
export const IN_NO_FORMER_FILE = 0xffff;
export const FILE_FLAGS = 0x10000;

/** The low bits of the hash of `loc` choose the bucket. The high bits choose the slot of the table. */
export const BUCKETS = 0x100000;
export const SUM_BYTES = 8;

/**
 * | offset | in a slot of the table of origins |
 * |---|---|
 * | 0 | u64: hash of the origin, never 0; 0 in a free slot |
 * | 8 | u32: number of URLs |
 * | 12, 16 | u32: address of the origin's text, length of the text |
 */
export const ORIGIN_BYTES = 24;
export const ORIGIN_SLOTS = 0x8000;
/** Half of the slots of the table of origins: a fuller table is slow. */
export const MAX_ORIGINS = 0x4000;
export const NAME_BYTES = 0x200000;

/** Vector reads may touch this many bytes behind the text. */
export const PADDING = 32;

/** The kinds of events. */
export const ADDED = 1;
export const CHANGED = 2;
export const REMOVED = 3;

/** The result of `match` when the table has no room for added entries. */
export const FULL = -1;
/** The result of a scan of XML that Waypost did not write. */
export const MALFORMED = -1;
