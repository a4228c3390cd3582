/**
 * Judges words of a fixed list, and codes. The host judges a code, and the kernel remembers the accepted ones: an upload has few different
 * codes.
 */
import { NEWS_LANGUAGE, WORD_SIZE, WORDS_FIRST } from '../../src/core/sitemap/kernel-layout.ts';
import { VECTOR } from '../../src/platform/kernel-layout.ts';
import { copy, firstBytes } from '../vectors.ts';
import { isCode } from './host.ts';
import { keepScratch, LEFT, scratchFor, setValue, valueEnd, valueStart } from './strings.ts';

/** Returns whether the text is one of `words`. */
export function isWord(from: i32, end: i32, words: i32): bool {
  if (end - from > VECTOR) return false;
  const bytes = v128.and(v128.load(from), firstBytes(end - from));
  let word = words + WORDS_FIRST;
  for (let left = load<i32>(words); left > 0; left--, word += WORD_SIZE) {
    if (i8x16.all_true(i8x16.eq(bytes, v128.load(word)))) return true;
  }
  return false;
}

/**
 * Codes that the host accepted, each in one of two slots that follow from its hash: its kind and length, then its bytes,
 * with zeros behind them.
 */
const KNOWN = memory.data(1024 * 48, 16);
const SLOTS: i32 = 1024;
const SLOT_SIZE: i32 = 48;
const MAX_KNOWN_LENGTH: i32 = 32;

/** Judges the value that was read last as a code of this kind. Puts a language of news into lower case. */
export function readCode(kind: i32): bool {
  const from = valueStart;
  const length = valueEnd - from;
  if (length > MAX_KNOWN_LENGTH)
    return isCode(kind, from, valueEnd) && (kind !== NEWS_LANGUAGE || toLowerCase());
  const first = v128.and(v128.load(from), firstBytes(min<i32>(length, VECTOR)));
  const second = v128.and(v128.load(from + VECTOR), firstBytes(max<i32>(length - VECTOR, 0)));
  const tag = (kind << 8) | length;
  const index = hashOf(first, second, tag);
  const slot = KNOWN + index * SLOT_SIZE;
  const other = KNOWN + (index ^ 1) * SLOT_SIZE;
  if (!holds(slot, tag, first, second) && !holds(other, tag, first, second)) {
    if (!isCode(kind, from, valueEnd)) return false;
    remember(load<i32>(slot) === 0 ? slot : other, tag, first, second);
  }
  return kind !== NEWS_LANGUAGE || toLowerCase();
}

function hashOf(first: v128, second: v128, tag: i32): i32 {
  const folded = v128.xor(first, second);
  const mixed =
    (i64x2.extract_lane(folded, 0) ^ rotl<u64>(i64x2.extract_lane(folded, 1), 23)) * 0x9e3779b1 + tag;
  return <i32>(<u64>mixed >> 24) & (SLOTS - 1);
}

function holds(slot: i32, tag: i32, first: v128, second: v128): bool {
  if (load<i32>(slot) !== tag) return false;
  const difference = v128.or(v128.xor(v128.load(slot + 16), first), v128.xor(v128.load(slot + 32), second));
  return !v128.any_true(difference);
}

function remember(slot: i32, tag: i32, first: v128, second: v128): void {
  store<i32>(slot, tag);
  v128.store(slot + 16, first);
  v128.store(slot + 32, second);
}

/** Changes the value to lower case, for codes of ASCII letters and hyphens. Returns false if there is no room. */
function toLowerCase(): bool {
  if (!hasUpperCase(valueStart, valueEnd)) return true;
  const length = valueEnd - valueStart;
  const to = scratchFor(length);
  if (to === LEFT) return false;
  copy(valueStart, length, to);
  for (let i = to; i < to + length; i++) store<u8>(i, load<u8>(i) | 0x20);
  setValue(to, to + length);
  keepScratch(to + length);
  return true;
}

function hasUpperCase(from: i32, end: i32): bool {
  for (let i = from; i < end; i++) if ((load<u8>(i) & 0x20) === 0) return true;
  return false;
}
