/**
 * Compares the entries of two uploads by hashes: a table has the entries of the former upload, and the entries of the live upload are
 * looked up there. It is AssemblyScript, compiled by `npm run build:kernels`; src/features/entries/kernel-layout.ts describes the memory
 * that it shares with its host. If there are sums, they say which buckets of hashes differ. For each slice of the hashes:
 *
 * ```
 * beginTable → insert (former files) → match (live files) → markFiles → unseen (the former files that are marked)
 * ```
 * The probes are apart from the scan, so that the processor waits for many of them at once.
 */
import {
  ADDED,
  CHANGED,
  EVENT_BYTES,
  FILE_FLAGS,
  FULL,
  IN_NO_FORMER_FILE,
  RECORD_BYTES,
  REMOVED,
  SLOT_BYTES,
} from '../../src/features/entries/kernel-layout.ts';
import { clearOrigins } from './origins.ts';
import { DIFFERING, END, FILES, ORIGINS, RECORDS } from './places.ts';
import {
  beginFile,
  beginPart,
  beginScan,
  entries,
  hasEnded,
  moveText,
  position,
  scan,
  sliceFrom,
  sliceLength,
  unpack,
} from './scan.ts';
import { beginSums, markDiffering, sum } from './sums.ts';

export {
  beginFile,
  beginPart,
  beginScan,
  beginSums,
  clearOrigins,
  DIFFERING,
  END,
  entries,
  FILES,
  hasEnded,
  markDiffering,
  moveText,
  ORIGINS,
  position,
  RECORDS,
  scan,
  sum,
  unpack,
};

let table: i32 = 0;
let slots: i32 = 0;
let used: i32 = 0;
let most: i32 = 0;
/** Turns the place of a hash in its slice into the number of a slot. A fixed-point number with 32 fractional bits. */
let scale: u64 = 0;

/** Begins a hash table. Call it after `beginScan`. The memory of the table must be zero. */
export function beginTable(at: i32, count: i32): void {
  table = at;
  slots = count;
  used = 0;
  most = count - count / 16 - 1;
  scale = ((<u64>count) << 32) / sliceLength;
}

/** Returns the slot where the probes for this hash begin. */
function firstSlot(key: u64): i32 {
  return table + <i32>((((key >> 32) - sliceFrom) * scale) >> 32) * SLOT_BYTES;
}

/** The slot of this hash, or the free slot where it belongs. This function has no loop, so the compiler inlines it. */
function find(key: u64): i32 {
  const slot = firstSlot(key);
  const found = load<u64>(slot);
  return found === 0 || (found ^ (key << 16)) < 0x10000 ? slot : findBehind(slot, key << 16);
}

function findBehind(first: i32, tag: u64): i32 {
  const end = table + slots * SLOT_BYTES;
  let slot = first;
  let found: u64 = 0;
  do {
    slot += SLOT_BYTES;
    if (slot === end) slot = table;
    found = load<u64>(slot);
  } while (found !== 0 && (found ^ tag) >= 0x10000);
  return slot;
}

/** The sum of the slots that `touch` loaded last. It is exported, so that the compiler keeps the loads. */
export let touched: u64 = 0;

/**
 * Loads the slots of all records, one after the other without a branch. So the processor waits for many of them at once, and the
 * probes that follow find them in its cache.
 */
function touch(end: i32): void {
  let sum: u64 = 0;
  for (let record = RECORDS; record < end; record += RECORD_BYTES) {
    const key = load<u64>(record);
    sum += load<u64>(firstSlot(key));
  }
  touched = sum;
}

/** Takes the records of former file `file`, from 1. The first entry of a `loc` counts. Returns false when the table is full. */
export function insert(records: i32, file: i32): bool {
  touch(RECORDS + records * RECORD_BYTES);
  for (let record = RECORDS, end = RECORDS + records * RECORD_BYTES; record < end; record += RECORD_BYTES) {
    const key = load<u64>(record);
    const slot = find(key);
    if (load<u64>(slot) !== 0) continue;
    if (used === most) return false;
    used++;
    store<u64>(slot, (key << 16) | <u64>file);
    store<u32>(slot, load<u32>(record, 8) << 1, 8);
  }
  return true;
}

/** Takes the records of a live file. Returns the number of events, or FULL. */
export function match(records: i32): i32 {
  touch(RECORDS + records * RECORD_BYTES);
  let event = RECORDS;
  for (let record = RECORDS, end = RECORDS + records * RECORD_BYTES; record < end; record += RECORD_BYTES) {
    const key = load<u64>(record);
    const rest = load<u32>(record, 8);
    const slot = find(key);
    let kind = 0;
    if (load<u64>(slot) === 0) {
      if (used === most) return FULL;
      used++;
      store<u64>(slot, (key << 16) | IN_NO_FORMER_FILE);
      store<u32>(slot, 1, 8);
      kind = ADDED;
    } else {
      const former = load<u32>(slot, 8);
      if ((former & 1) !== 0) continue;
      store<u32>(slot, former | 1, 8);
      if (former >> 1 === rest) continue;
      kind = CHANGED;
    }
    event = putEvent(event, record, kind);
  }
  return (event - RECORDS) / EVENT_BYTES;
}

/** Marks the former files that have entries which no live file has. Returns the number of these entries. */
export function markFiles(): i32 {
  memory.fill(FILES, 0, FILE_FLAGS);
  let removed = 0;
  for (let slot = table, end = table + slots * SLOT_BYTES; slot < end; slot += SLOT_BYTES) {
    const found = load<u64>(slot);
    if (found === 0 || (load<u32>(slot, 8) & 1) !== 0) continue;
    removed++;
    store<u8>(FILES + <i32>(found & IN_NO_FORMER_FILE), 1);
  }
  return removed;
}

/** Takes the records of a former file that is marked. Returns the number of events: entries that no live file has. */
export function unseen(records: i32): i32 {
  let event = RECORDS;
  for (let record = RECORDS, end = RECORDS + records * RECORD_BYTES; record < end; record += RECORD_BYTES) {
    const slot = find(load<u64>(record));
    const former = load<u32>(slot, 8);
    if (load<u64>(slot) === 0 || (former & 1) !== 0) continue;
    store<u32>(slot, former | 1, 8);
    event = putEvent(event, record, REMOVED);
  }
  return (event - RECORDS) / EVENT_BYTES;
}

/** Writes an event. Events are shorter than records, so an event never overwrites a record that is still to be read. */
function putEvent(event: i32, record: i32, kind: u32): i32 {
  const loc = load<u32>(record, 12);
  const length = load<u32>(record, 16);
  store<u32>(event, loc);
  store<u32>(event, length, 4);
  store<u32>(event, kind, 8);
  return event + EVENT_BYTES;
}
