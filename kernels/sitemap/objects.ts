/**
 * Reads JSON objects by their shapes (src/core/sitemap/kernel-layout.ts) without creating objects, and notes where their values
 * are (slots.ts). An unknown member is skipped, null is absent, and of a repeated member the last value counts, as with JSON.parse.
 */
import {
  BOOLEAN,
  DATE,
  DECIMAL,
  INTEGER,
  LIST,
  MAX_NAME_LENGTH,
  MEMBER_NAME,
  MEMBER_NEXT,
  MEMBER_SIZE,
  MEMBER_VALUE,
  OBJECT,
  SHAPE_ANY_OF,
  SHAPE_BUCKETS,
  SHAPE_COUNT,
  SHAPE_MEMBERS,
  SHAPE_REQUIRED,
  STOCK_TICKERS,
  TEXT,
  TEXT_BYTES,
  URL,
  VALUE_KIND,
  VALUE_MAX,
  VALUE_MIN,
  VALUE_OF,
  WORD,
} from '../../src/core/sitemap/kernel-layout.ts';
import { CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../ascii.ts';
import { firstBytes } from '../vectors.ts';
import { isWord, readCode } from './codes.ts';
import { text } from './fixed-texts.ts';
import { readDecimal, readInteger } from './numbers.ts';
import { isFalse, isNull, isTrue, skipSpace, skipString, skipValue } from './skip.ts';
import { NO_SLOT, setNext, setSlot, takeSlots } from './slots.ts';
import {
  findStop,
  LEFT,
  markReferences,
  readString,
  setValue,
  valueEnd,
  valueHasReferences,
  valueStart,
} from './strings.ts';
import { isText } from './texts.ts';
import { readUrl } from './urls.ts';
import { isWide, readDateNumber, readDateText } from './wide-dates.ts';

/** The index of no member. A shape has at most 32 members. */
const UNKNOWN: i32 = -1;

/**
 * Reads the object at `at` into a slot. `depth`: how many objects and arrays are open around it. Returns the
 * position after it, or LEFT.
 */
export function readObject(at: i32, shape: i32, slot: i32, depth: i32): i32 {
  if (load<u8>(at) !== OPEN_OBJECT) return LEFT;
  const base = takeSlots(load<i32>(shape, SHAPE_COUNT));
  if (base === NO_SLOT) return LEFT;
  let present: u32 = 0;
  let refused: u32 = 0;
  let i = skipSpace(at + 1);
  // Leave an empty object: every shape has a required member.
  while (true) {
    if (load<u8>(i) !== QUOTE) return LEFT;
    let end = readName(i + 1, shape);
    if (end === LEFT) return LEFT;
    const index = named;
    i = skipSpace(end);
    if (load<u8>(i) !== COLON) return LEFT;
    i = skipSpace(i + 1);
    if (index === UNKNOWN) end = skipValue(i, depth + 1);
    else {
      const bit = (<u32>1) << index;
      present |= bit;
      refused &= ~bit;
      if (isNull(i)) {
        setSlot(base + index, 0);
        present &= ~bit;
        end = i + 4;
      } else end = readValue(i, memberAt(shape, index) + MEMBER_VALUE, base + index, depth + 1);
      if (end === LEFT) {
        // A later value of the same member may be acceptable.
        refused |= bit;
        end = skipValue(i, depth + 1);
      }
    }
    if (end === LEFT) return LEFT;
    i = skipSpace(end);
    if (load<u8>(i) !== COMMA) break;
    i = skipSpace(i + 1);
  }
  const required = load<u32>(shape, SHAPE_REQUIRED);
  const anyOf = load<u32>(shape, SHAPE_ANY_OF);
  if (refused !== 0 || (present & required) !== required || (anyOf !== 0 && (present & anyOf) === 0))
    return LEFT;
  setSlot(slot, base);
  return load<u8>(i) === CLOSE_OBJECT ? i + 1 : LEFT;
}

/** The index of the member whose name was read last, or UNKNOWN. */
let named = UNKNOWN;

/** Reads the name of a member of the shape as `named`. Returns the position after its quote. */
function readName(at: i32, shape: i32): i32 {
  const stop = findStop(at);
  if (load<u8>(stop) === QUOTE) {
    named = memberNamed(shape, at, stop - at);
    return stop + 1;
  }
  const end = readString(at);
  named = end === LEFT ? UNKNOWN : memberNamed(shape, valueStart, valueEnd - valueStart);
  // A name with characters that XML forbids is not known, but it may be JSON.
  return end === LEFT ? skipString(at) : end;
}

function memberAt(shape: i32, index: i32): i32 {
  return shape + SHAPE_MEMBERS + index * MEMBER_SIZE;
}

/** The index of a member in its shape, or UNKNOWN. */
function memberNamed(shape: i32, name: i32, length: i32): i32 {
  if (length > MAX_NAME_LENGTH) return UNKNOWN;
  const bytes = v128.and(v128.load(name), firstBytes(length));
  let index = <i32>load<u8>(shape + SHAPE_BUCKETS + length) - 1;
  while (index >= 0) {
    const member = memberAt(shape, index);
    if (i8x16.all_true(i8x16.eq(bytes, v128.load(member, MEMBER_NAME)))) return index;
    index = load<i32>(member, MEMBER_NEXT) - 1;
  }
  return UNKNOWN;
}

const YES = text('yes');
const NO = text('no');

/** Reads a value into a slot. Returns the position after it, or LEFT. */
function readValue(at: i32, value: i32, slot: i32, depth: i32): i32 {
  const kind = load<i32>(value, VALUE_KIND);
  if (kind === OBJECT) return readObject(at, load<i32>(value, VALUE_OF), slot, depth);
  if (kind === LIST) return readList(at, value, slot, depth);
  const end = readScalar(at, kind, value);
  if (end !== LEFT) setSlot(slot, valueStart, valueEnd, valueHasReferences);
  return end;
}

function readScalar(at: i32, kind: i32, value: i32): i32 {
  const min = load<f64>(value, VALUE_MIN);
  const max = load<f64>(value, VALUE_MAX);
  if (kind === DECIMAL) return readDecimal(at, min, max);
  if (kind === INTEGER) return readInteger(at, min, max);
  if (kind === BOOLEAN) return readBoolean(at);
  if (load<u8>(at) !== QUOTE) return kind === DATE && isWide ? readDateNumber(at) : LEFT;
  if (kind === URL) return readUrl(at + 1, min);
  const end = readString(at + 1);
  return end !== LEFT && isAccepted(kind, value, min, max) ? end : LEFT;
}

/** Judges the string that was read last. */
export function isAccepted(kind: i32, value: i32, min: f64, max: f64): bool {
  if (kind === TEXT) {
    markReferences();
    return isText(valueStart, valueEnd, min, max);
  }
  if (kind === DATE) return readDateText();
  if (kind === WORD) return isWord(valueStart, valueEnd, load<i32>(value, VALUE_OF));
  if (kind === STOCK_TICKERS) markReferences();
  return readCode(kind);
}

function readBoolean(at: i32): i32 {
  const written = isTrue(at) ? YES : NO;
  if (written === NO && !isFalse(at)) return LEFT;
  setValue(written + TEXT_BYTES, written + TEXT_BYTES + load<i32>(written));
  return written === YES ? at + 4 : at + 5;
}

/** An empty list is written like an absent one. */
function readList(at: i32, list: i32, slot: i32, depth: i32): i32 {
  if (load<u8>(at) !== OPEN_ARRAY) return LEFT;
  setSlot(slot, 0);
  let i = skipSpace(at + 1);
  if (load<u8>(i) === CLOSE_ARRAY) return i + 1;
  const element = load<i32>(list, VALUE_OF);
  let previous = NO_SLOT;
  for (let left = load<f64>(list, VALUE_MAX); left > 0; left--) {
    const next = takeSlots(1);
    if (next === NO_SLOT) return LEFT;
    i = readValue(i, element, next, depth + 1);
    if (i === LEFT) return LEFT;
    if (previous === NO_SLOT) setSlot(slot, next);
    else setNext(previous, next);
    previous = next;
    i = skipSpace(i);
    if (load<u8>(i) !== COMMA) return load<u8>(i) === CLOSE_ARRAY ? i + 1 : LEFT;
    i = skipSpace(i + 1);
  }
  return LEFT;
}
