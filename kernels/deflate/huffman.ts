/** Makes Huffman codes from frequencies (RFC 1951, section 3.2.2): canonical, with limited lengths. */

/** Symbols that occur, the rarest first, and the sizes that the construction works on. */
const SYMBOLS = memory.data(286 * 4, 16);
const SIZES = memory.data(286 * 4, 16);
const MAX_DEPTH: i32 = 32;
/** The number of codes of each length. */
const LENGTH_COUNTS = memory.data(33 * 4, 16);
const NEXT_CODES = memory.data(33 * 4, 16);

function get(table: i32, index: i32): i32 {
  return load<i32>(table + index * 4);
}

function set(table: i32, index: i32, value: i32): void {
  store<i32>(table + index * 4, value);
}

/**
 * Sets a u8 for each of `count` symbols: the length of its code, at most `maxLength`, or 0 if its frequency (i32) is 0.
 * A lone symbol gets a code of one bit.
 */
export function setLengths(frequencies: i32, count: i32, maxLength: i32, lengths: i32): void {
  memory.fill(lengths, 0, count);
  const used = sortSymbols(frequencies, count);
  if (used === 0) return;
  if (used === 1) {
    store<u8>(lengths + get(SYMBOLS, 0), 1);
    return;
  }
  for (let i = 0; i < used; i++) set(SIZES, i, get(frequencies, get(SYMBOLS, i)));
  setDepths(used);
  memory.fill(LENGTH_COUNTS, 0, (MAX_DEPTH + 1) * 4);
  for (let i = 0; i < used; i++) {
    const length = min<i32>(get(SIZES, i), maxLength);
    set(LENGTH_COUNTS, length, get(LENGTH_COUNTS, length) + 1);
  }
  limitLengths(maxLength);
  // The rarest symbols get the longest codes.
  let symbol = 0;
  for (let length = maxLength; length > 0; length--) {
    for (let left = get(LENGTH_COUNTS, length); left > 0; left--)
      store<u8>(lengths + get(SYMBOLS, symbol++), <u8>length);
  }
}

/** Sorts the symbols that occur, the rarest first. Returns their number. */
function sortSymbols(frequencies: i32, count: i32): i32 {
  let used = 0;
  for (let symbol = 0; symbol < count; symbol++) {
    const frequency = get(frequencies, symbol);
    if (frequency === 0) continue;
    let i = used++;
    for (; i > 0 && get(frequencies, get(SYMBOLS, i - 1)) > frequency; i--)
      set(SYMBOLS, i, get(SYMBOLS, i - 1));
    set(SYMBOLS, i, symbol);
  }
  return used;
}

/**
 * Replaces sorted frequencies with the depths of a minimum-redundancy code, in place (Moffat and Katajainen, "In-Place
 * Calculation of Minimum-Redundancy Codes", 1995). `count`: at least 2.
 */
function setDepths(count: i32): void {
  // First: SIZES holds the weights of leaves from `leaf` on. An inner node has its weight there, and later its parent.
  let root = 0;
  let leaf = 0;
  for (let next = 0; next < count - 1; next++) {
    let weight = 0;
    for (let child = 0; child < 2; child++) {
      if (leaf >= count || (root < next && get(SIZES, root) < get(SIZES, leaf))) {
        weight += get(SIZES, root);
        set(SIZES, root++, next);
      } else weight += get(SIZES, leaf++);
    }
    set(SIZES, next, weight);
  }
  // Second: the depths of inner nodes.
  set(SIZES, count - 2, 0);
  for (let node = count - 3; node >= 0; node--) set(SIZES, node, get(SIZES, get(SIZES, node)) + 1);
  // Third: the depths of leaves.
  let available = 1;
  let depth = 0;
  let node = count - 2;
  let next = count - 1;
  while (available > 0) {
    let inner = 0;
    for (; node >= 0 && get(SIZES, node) === depth; node--) inner++;
    for (; available > inner; available--) set(SIZES, next--, depth);
    available = 2 * inner;
    depth++;
  }
}

/** Lengthens short codes until all codes fit. The caller has cut longer codes to `maxLength`. */
function limitLengths(maxLength: i32): void {
  let total = 0;
  for (let length = 1; length <= maxLength; length++)
    total += get(LENGTH_COUNTS, length) << (maxLength - length);
  for (; total > 1 << maxLength; total--) {
    set(LENGTH_COUNTS, maxLength, get(LENGTH_COUNTS, maxLength) - 1);
    let length = maxLength - 1;
    while (get(LENGTH_COUNTS, length) === 0) length--;
    set(LENGTH_COUNTS, length, get(LENGTH_COUNTS, length) - 1);
    set(LENGTH_COUNTS, length + 1, get(LENGTH_COUNTS, length + 1) + 2);
  }
}

/** Sets an i32 for each symbol: its code, the first bit lowest. */
export function setCodes(lengths: i32, count: i32, codes: i32): void {
  memory.fill(LENGTH_COUNTS, 0, (MAX_DEPTH + 1) * 4);
  for (let symbol = 0; symbol < count; symbol++) {
    const length = <i32>load<u8>(lengths + symbol);
    set(LENGTH_COUNTS, length, get(LENGTH_COUNTS, length) + 1);
  }
  set(LENGTH_COUNTS, 0, 0);
  let code = 0;
  for (let length = 1; length <= 15; length++) {
    code = (code + get(LENGTH_COUNTS, length - 1)) << 1;
    set(NEXT_CODES, length, code);
  }
  for (let symbol = 0; symbol < count; symbol++) {
    const length = <i32>load<u8>(lengths + symbol);
    if (length === 0) continue;
    const next = get(NEXT_CODES, length);
    set(NEXT_CODES, length, next + 1);
    set(codes, symbol, reversed(next, length));
  }
}

function reversed(code: i32, length: i32): i32 {
  let result = 0;
  for (let i = 0; i < length; i++) result |= ((code >> i) & 1) << (length - 1 - i);
  return result;
}
