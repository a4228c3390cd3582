/**
 * Notes where the values of the current entry are. A slot has a start, an end, a next and a flag. An object has a slot for each member of
 * its shape, in the order of the shape. A start of 0 means that the member is absent.
 *
 * ```
 * a scalar     start and end of its bytes; the flag: whether XML needs some of them as references
 * an object    start: the slot of its first member
 * a list       start: the slot of its first element; each element's `next` is the slot of the one after it, or 0
 * ```
 */

/** Enough for 1,000 images with 5 members and 1,000 alternates with 2. */
const MAX_SLOTS: i32 = 9500;
const SLOTS = memory.data(9500 * 16, 16);
const SLOT_SIZE: i32 = 16;
let used = 0;

export function clearSlots(): void {
  used = 0;
}

/** Returned instead of a slot if there is no room. */
export const NO_SLOT: i32 = -1;

/** Returns the first of `count` absent slots. */
export function takeSlots(count: i32): i32 {
  const first = used;
  if (first + count > MAX_SLOTS) return NO_SLOT;
  used += count;
  for (let slot = first; slot < used; slot++) v128.store(SLOTS + slot * SLOT_SIZE, i64x2.splat(0));
  return first;
}

export function startOf(slot: i32): i32 {
  return load<i32>(SLOTS + slot * SLOT_SIZE);
}

export function endOf(slot: i32): i32 {
  return load<i32>(SLOTS + slot * SLOT_SIZE, 4);
}

export function nextOf(slot: i32): i32 {
  return load<i32>(SLOTS + slot * SLOT_SIZE, 8);
}

export function setSlot(slot: i32, start: i32, end: i32 = 0, hasReferences: bool = false): void {
  store<i32>(SLOTS + slot * SLOT_SIZE, start);
  store<i32>(SLOTS + slot * SLOT_SIZE, end, 4);
  store<i32>(SLOTS + slot * SLOT_SIZE, hasReferences, 12);
}

export function hasReferences(slot: i32): bool {
  return load<i32>(SLOTS + slot * SLOT_SIZE, 12) !== 0;
}

export function setNext(slot: i32, next: i32): void {
  store<i32>(SLOTS + slot * SLOT_SIZE, next, 8);
}
