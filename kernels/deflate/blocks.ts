/** Blocks with dynamic Huffman codes (RFC 1951, section 3.2.7): collects tokens, then writes codes made for them. */
import { writeBits } from './bits.ts';
import { setCodes, setLengths } from './huffman.ts';

/** The symbols of literals and lengths: 256 bytes, the end of the block, then 29 codes of lengths. */
const LITERALS: i32 = 286;
const END_OF_BLOCK: i32 = 256;
const DISTANCES: i32 = 30;
const MAX_CODE_LENGTH: i32 = 15;

/** A token below MATCH is a literal. Any other is a match: its distance times MATCH, plus its length minus 3. */
export const MAX_TOKENS: i32 = 32768;
const TOKENS = memory.data(32768 * 4, 16);
const MATCH: i32 = 256;
export let tokenCount: i32 = 0;

const LITERAL_COUNTS = memory.data(286 * 4, 16);
const LITERAL_LENGTHS = memory.data(320, 16);
const LITERAL_CODES = memory.data(286 * 4, 16);
const DISTANCE_COUNTS = memory.data(30 * 4, 16);
const DISTANCE_LENGTHS = memory.data(32, 16);
const DISTANCE_CODES = memory.data(30 * 4, 16);

/** A u8 for each length minus 3: the length's code, minus 257 (section 3.2.5). */
const LENGTH_CODES = memory.data(256, 16);
/** For each code of lengths: the number of its extra bits as u8, and its shortest length minus 3 as i32. */
const LENGTH_EXTRA = memory.data(29, 16);
const LENGTH_BASES = memory.data(29 * 4, 16);
let base = 0;
for (let code = 0; code < 28; code++) {
  const extra = code < 8 ? 0 : (code >> 2) - 1;
  store<u8>(LENGTH_EXTRA + code, <u8>extra);
  store<i32>(LENGTH_BASES + code * 4, base);
  for (let i = 0; i < 1 << extra; i++) store<u8>(LENGTH_CODES + base + i, <u8>code);
  base += 1 << extra;
}
// The length 258 has a code of its own.
store<u8>(LENGTH_CODES + 255, 28);
store<i32>(LENGTH_BASES + 28 * 4, 255);

function increment(counts: i32, index: i32): void {
  store<i32>(counts + index * 4, load<i32>(counts + index * 4) + 1);
}

function addToken(token: i32): void {
  store<i32>(TOKENS + tokenCount * 4, token);
  tokenCount++;
}

export function countLiteral(byte: u8): void {
  addToken(byte);
  increment(LITERAL_COUNTS, byte);
}

/** `length`: 3 to 258. `distance`: 1 to 32,768. */
export function countMatch(length: i32, distance: i32): void {
  addToken((distance << 8) | (length - 3));
  increment(LITERAL_COUNTS, 257 + <i32>load<u8>(LENGTH_CODES + length - 3));
  increment(DISTANCE_COUNTS, distanceCode(distance - 1));
}

/** `distance`: the distance minus 1. From 4 on, a code names the two highest bits, and the lower bits follow it as extra bits. */
function distanceCode(distance: i32): i32 {
  if (distance < 4) return distance;
  const high = 31 - clz(distance);
  return 2 * high + ((distance >> (high - 1)) & 1);
}

/** Writes the tokens as a block that is not the last, and forgets the tokens. */
export function writeBlock(): void {
  if (tokenCount === 0) return;
  increment(LITERAL_COUNTS, END_OF_BLOCK);
  setLengths(LITERAL_COUNTS, LITERALS, MAX_CODE_LENGTH, LITERAL_LENGTHS);
  setCodes(LITERAL_LENGTHS, LITERALS, LITERAL_CODES);
  setLengths(DISTANCE_COUNTS, DISTANCES, MAX_CODE_LENGTH, DISTANCE_LENGTHS);
  setCodes(DISTANCE_LENGTHS, DISTANCES, DISTANCE_CODES);
  writeHeader();
  setLengthBits();
  for (let at = TOKENS; at < TOKENS + tokenCount * 4; at += 4) {
    const token = load<i32>(at);
    if (token < MATCH) writeSymbol(token);
    else writeMatch(token & 255, (token >> 8) - 1);
  }
  writeSymbol(END_OF_BLOCK);
  tokenCount = 0;
  memory.fill(LITERAL_COUNTS, 0, LITERALS * 4);
  memory.fill(DISTANCE_COUNTS, 0, DISTANCES * 4);
}

/** For each length minus 3: its code with the extra bits, and from COUNT_SHIFT on the number of these bits. */
const LENGTH_BITS = memory.data(256 * 4, 16);
const COUNT_SHIFT: i32 = 24;

function setLengthBits(): void {
  for (let length = 0; length < 256; length++) {
    const code = <i32>load<u8>(LENGTH_CODES + length);
    const count = <i32>load<u8>(LITERAL_LENGTHS + 257 + code);
    const extra = length - load<i32>(LENGTH_BASES + code * 4);
    const bits = load<i32>(LITERAL_CODES + (257 + code) * 4) | (extra << count);
    store<i32>(
      LENGTH_BITS + length * 4,
      bits | ((count + <i32>load<u8>(LENGTH_EXTRA + code)) << COUNT_SHIFT),
    );
  }
}

function writeSymbol(symbol: i32): void {
  writeBits(load<u32>(LITERAL_CODES + symbol * 4), load<u8>(LITERAL_LENGTHS + symbol));
}

/** `length`: the length minus 3. `distance`: the distance minus 1. A match takes at most 15 + 5 + 15 + 13 bits. */
function writeMatch(length: i32, distance: i32): void {
  const lengthBits = load<u32>(LENGTH_BITS + length * 4);
  let bits: u64 = lengthBits & ((1 << COUNT_SHIFT) - 1);
  let count = <i32>(lengthBits >> COUNT_SHIFT);
  const code = distanceCode(distance);
  bits |= (<u64>load<u32>(DISTANCE_CODES + code * 4)) << count;
  count += load<u8>(DISTANCE_LENGTHS + code);
  if (code >= 4) {
    const extra = (code >> 1) - 1;
    bits |= (<u64>(distance & ((1 << extra) - 1))) << count;
    count += extra;
  }
  writeBits(bits, count);
}

/** The lengths of both codes, run-length coded, with a code of their own. */
const RUN_CODES: i32 = 19;
const ALL_LENGTHS = memory.data(320, 16);
const RUNS = memory.data(320 * 2, 16);
const RUN_COUNTS = memory.data(19 * 4, 16);
const RUN_LENGTHS = memory.data(32, 16);
const RUN_HUFFMAN_CODES = memory.data(19 * 4, 16);
const MAX_RUN_CODE_LENGTH: i32 = 7;
/** The order in which the format stores the lengths of the run codes. */
const ORDER = memory.data<u8>([16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]);

function writeHeader(): void {
  let literals = LITERALS;
  while (load<u8>(LITERAL_LENGTHS + literals - 1) === 0) literals--;
  let distances = DISTANCES;
  while (distances > 1 && load<u8>(DISTANCE_LENGTHS + distances - 1) === 0) distances--;
  const runs = findRuns(literals, distances);
  setLengths(RUN_COUNTS, RUN_CODES, MAX_RUN_CODE_LENGTH, RUN_LENGTHS);
  setCodes(RUN_LENGTHS, RUN_CODES, RUN_HUFFMAN_CODES);
  let written = RUN_CODES;
  while (load<u8>(RUN_LENGTHS + load<u8>(ORDER + written - 1)) === 0) written--;
  // The block has dynamic codes, and is not the last.
  writeBits(0b100, 3);
  writeBits(literals - 257, 5);
  writeBits(distances - 1, 5);
  writeBits(written - 4, 4);
  for (let i = 0; i < written; i++) writeBits(load<u8>(RUN_LENGTHS + load<u8>(ORDER + i)), 3);
  for (let i = 0; i < runs; i++) {
    const code = <i32>load<u8>(RUNS + i * 2);
    writeBits(load<u32>(RUN_HUFFMAN_CODES + code * 4), load<u8>(RUN_LENGTHS + code));
    if (code >= 16) writeBits(load<u8>(RUNS + i * 2 + 1), code === 16 ? 2 : code === 17 ? 3 : 7);
  }
  memory.fill(RUN_COUNTS, 0, RUN_CODES * 4);
}

/**
 * Encodes both lists of lengths as runs, one list after the other. Each run is a code with its extra bits. Codes up to 15
 * are lengths. 16 repeats the last length 3 to 6 times, 17 and 18 are 3 to 10 and 11 to 138 zeros.
 */
function findRuns(literals: i32, distances: i32): i32 {
  memory.copy(ALL_LENGTHS, LITERAL_LENGTHS, literals);
  memory.copy(ALL_LENGTHS + literals, DISTANCE_LENGTHS, distances);
  const end = ALL_LENGTHS + literals + distances;
  let runs = 0;
  let i = ALL_LENGTHS;
  while (i < end) {
    const length = load<u8>(i);
    let run = 1;
    while (i + run < end && run < 138 && load<u8>(i + run) === length) run++;
    if (length === 0 && run >= 11) addRun(runs++, 18, run - 11);
    else if (length === 0 && run >= 3) addRun(runs++, 17, run - 3);
    else if (run >= 4) {
      run = min<i32>(run, 7);
      addRun(runs++, length, 0);
      addRun(runs++, 16, run - 4);
    } else {
      run = 1;
      addRun(runs++, length, 0);
    }
    i += run;
  }
  return runs;
}

function addRun(index: i32, code: u8, extra: i32): void {
  store<u8>(RUNS + index * 2, code);
  store<u8>(RUNS + index * 2, <u8>extra, 1);
  increment(RUN_COUNTS, code);
}
