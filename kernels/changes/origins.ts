/**
 * Counts URLs by the origin of their page: scheme, host and port, as they are written. Most URLs follow a URL of the same origin. URLs of
 * origins beyond MAX_ORIGINS are not counted.
 */
import {
  MAX_ORIGINS,
  NAME_BYTES,
  ORIGIN_BYTES,
  ORIGIN_SLOTS,
} from '../../src/features/entries/kernel-layout.ts';
import { hash } from '../hash.ts';
import { endOfOrigin, hasOrigin } from '../origin.ts';
import { NAMES, ORIGINS } from './places.ts';

let origins: i32 = 0;
let namesEnd: i32 = NAMES;
/** The slot of the last URL's origin, or 0. */
let last: i32 = 0;

/** Forgets all counts. */
export function clearOrigins(): void {
  memory.fill(ORIGINS, 0, ORIGIN_SLOTS * ORIGIN_BYTES);
  origins = last = 0;
  namesEnd = NAMES;
}

export function countOrigin(loc: i32, end: i32): void {
  if (last !== 0 && hasOrigin(loc, end, load<u32>(last, 12), load<u32>(last, 16))) {
    store<u32>(last, load<u32>(last, 8) + 1, 8);
    return;
  }
  const originEnd = endOfOrigin(loc, end);
  const slot = slotOf(loc, originEnd);
  if (slot === 0) return;
  store<u32>(slot, load<u32>(slot, 8) + 1, 8);
  last = slot;
}

/** Returns the slot of an origin; 0 if the origin is new, and there is no room. */
function slotOf(from: i32, to: i32): i32 {
  const key = hash(from, to, 0) | 1;
  let slot = ORIGINS + (<i32>(key >> 40) & (ORIGIN_SLOTS - 1)) * ORIGIN_BYTES;
  while (load<u64>(slot) !== key) {
    if (load<u64>(slot) === 0) return addOrigin(slot, key, from, to - from);
    slot += ORIGIN_BYTES;
    if (slot === ORIGINS + ORIGIN_SLOTS * ORIGIN_BYTES) slot = ORIGINS;
  }
  return slot;
}

function addOrigin(slot: i32, key: u64, from: i32, length: i32): i32 {
  if (origins === MAX_ORIGINS || namesEnd + length > NAMES + NAME_BYTES) return 0;
  memory.copy(namesEnd, from, length);
  store<u64>(slot, key);
  store<u32>(slot, 0, 8);
  store<u32>(slot, namesEnd, 12);
  store<u32>(slot, length, 16);
  namesEnd += length;
  origins++;
  return slot;
}
