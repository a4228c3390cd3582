/**
 * Searches XML sixteen bytes at a time, for src/features/uploads/forms/xml-scan.ts: finds the end of a `<url>` of the usual shape, and
 * counts line breaks. The text is in the memory of the kernel.
 */
import { VECTOR } from '../../src/platform/kernel-layout.ts';
import { BANG, GREATER_THAN, LESS_THAN, LINE_FEED, QUESTION_MARK, SLASH } from '../ascii.ts';

/** The host may use the memory from this address on. */
export const heap: i32 = <i32>__heap_base;

/**
 * Returns the position after the end tag of an element. `start` is the position after its start tag, and `name` has `nameBytes`. Returns -1
 * if there is no end tag before `end`, or if a comment, CDATA, a processing instruction or another tag whose name begins with this name
 * comes first.
 */
export function plainElementEnd(start: i32, end: i32, name: i32, nameBytes: i32): i32 {
  const last = end - nameBytes - 3;
  for (let i = start; i <= last; i += VECTOR) {
    let found = i8x16.bitmask(i8x16.eq(v128.load(i), i8x16.splat(LESS_THAN)));
    for (; found !== 0; found &= found - 1) {
      const at = i + ctz(found);
      if (at > last) return -1;
      const next = load<u8>(at + 1);
      if (next === BANG || next === QUESTION_MARK) return -1;
      const nameAt = next === SLASH ? at + 2 : at + 1;
      if (!isSame(nameAt, name, nameBytes)) continue;
      const isEnd = next === SLASH && load<u8>(nameAt + nameBytes) === GREATER_THAN;
      return isEnd ? nameAt + nameBytes + 1 : -1;
    }
  }
  return -1;
}

function isSame(at: i32, name: i32, length: i32): bool {
  for (let i = 0; i < length; i++) if (load<u8>(at + i) !== load<u8>(name + i)) return false;
  return true;
}

export function lineBreaks(from: i32, to: i32): i32 {
  let breaks = 0;
  let i = from;
  for (; i + VECTOR <= to; i += VECTOR) {
    breaks += popcnt(i8x16.bitmask(i8x16.eq(v128.load(i), i8x16.splat(LINE_FEED))));
  }
  for (; i < to; i++) if (load<u8>(i) === LINE_FEED) breaks++;
  return breaks;
}
