/** Finds the bytes that may end a cell or need care, BLOCK bytes at once. A reader of a record takes these stops one after the other. */
import { BLOCK } from '../../src/platform/kernel-layout.ts';
import { BACKSLASH, QUOTE, SPACE } from '../ascii.ts';
import { joined } from '../records/block-bits.ts';

/** The byte between two cells. */
export let delimiter: u8 = 0;

/** The block that was looked at last, and its stops that are not taken yet. */
let block: i32 = 0;
let stops: u64 = 0;

export function setDelimiter(byte: u8): void {
  delimiter = byte;
}

/** Begins with the stops from `at` on. BLOCK zeros stand behind the text, and each is a stop. */
export function beginStops(at: i32): void {
  block = at;
  stops = stopsIn(at);
}

/** Takes the next separator, quote, backslash or control character. */
export function nextStop(): i32 {
  if (stops === 0) nextBlock();
  const at = block + <i32>ctz(stops);
  stops &= stops - 1;
  return at;
}

function nextBlock(): void {
  do {
    block += BLOCK;
    stops = stopsIn(block);
  } while (stops === 0);
}

function stopsIn(at: i32): u64 {
  return joined(
    stopsOf(v128.load(at)),
    stopsOf(v128.load(at, 16)),
    stopsOf(v128.load(at, 32)),
    stopsOf(v128.load(at, 48)),
  );
}

function stopsOf(bytes: v128): v128 {
  const marks = v128.or(i8x16.eq(bytes, i8x16.splat(QUOTE)), i8x16.eq(bytes, i8x16.splat(BACKSLASH)));
  const ends = v128.or(i8x16.lt_u(bytes, i8x16.splat(SPACE)), i8x16.eq(bytes, i8x16.splat(delimiter)));
  return v128.or(marks, ends);
}
