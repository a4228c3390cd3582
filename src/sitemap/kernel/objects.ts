/**
 * Reads JSON objects of known shapes without creating objects. It stores where each value is in slots: a start and an
 * end for each member of the shape, in the order of the shape. A start of 0 means that the member is absent.
 *
 * An object is plain if it has only members of its shape, has the required ones, has each at most once, and if each
 * value is plain (urls.ts, text.ts, values.ts).
 */
import { ascii, bytesOf, lengthOf } from './ascii.ts';
import { NOT_PLAIN } from './not-plain.ts';
import { matches, setPattern, VECTOR } from './pattern.ts';
import { findTextEnd } from './text.ts';
import { findUrlEnd } from './urls.ts';
import { findChangefreqEnd, findDateEnd, findLanguageEnd, findPriority, priorityEnd } from './values.ts';

const QUOTE: u8 = 0x22;
const COLON: u8 = 0x3a;
const COMMA: u8 = 0x2c;
const OPEN_OBJECT: u8 = 0x7b;
const CLOSE_OBJECT: u8 = 0x7d;
const OPEN_ARRAY: u8 = 0x5b;
const CLOSE_ARRAY: u8 = 0x5d;

/** Kinds of values. From IMAGES on they are arrays of objects. */
const URL = 0;
const TEXT = 1;
const DATE = 2;
const CHANGEFREQ = 3;
const PRIORITY = 4;
const LANGUAGE = 5;
const IMAGES = 6;
const ALTERNATES = 7;

/** For each member: a pattern of its name with the closing quote, the length of both, and its kind. */
const MEMBERS = memory.data(13 * 48, 16);
const MEMBER_SIZE: i32 = 48;
const NAME_LENGTH: i32 = 32;
const KIND: i32 = 36;
let members = 0;

/** A shape: the index of its first member, the number of its members, and how many of the first ones are required. */
const ENTRY = members;
addMember('loc"', URL);
addMember('lastmod"', DATE);
addMember('changefreq"', CHANGEFREQ);
addMember('priority"', PRIORITY);
addMember('images"', IMAGES);
addMember('hreflang"', ALTERNATES);
const ENTRY_MEMBERS = 6;
const ENTRY_REQUIRED = 1;

const IMAGE = members;
addMember('loc"', URL);
addMember('title"', TEXT);
addMember('caption"', TEXT);
addMember('geo_location"', TEXT);
addMember('license"', URL);
export const IMAGE_MEMBERS = 5;
const IMAGE_REQUIRED = 1;

const ALTERNATE = members;
addMember('href"', URL);
addMember('hreflang"', LANGUAGE);
export const ALTERNATE_MEMBERS = 2;
const ALTERNATE_REQUIRED = 2;

function addMember(name: string, kind: i32): void {
  const member = memberAt(members++);
  const text = ascii(name);
  setPattern(member, VECTOR, bytesOf(text), lengthOf(text));
  store<i32>(member, lengthOf(text), NAME_LENGTH);
  store<i32>(member, kind, KIND);
}

/** An entry with that many images and alternates is slow either way. */
const MAX_SLOTS = 1024;
/** For a value: its start and end. For an array: the slot of its first member, and the number of objects. */
const SLOTS = memory.data(1024 * 8, 16);
const SLOT_SIZE: i32 = 8;
let usedSlots = 0;

export function startOf(slot: i32): i32 {
  return load<i32>(SLOTS + slot * SLOT_SIZE);
}

export function endOf(slot: i32): i32 {
  return load<i32>(SLOTS + slot * SLOT_SIZE, 4);
}

function setSlot(slot: i32, start: i32, end: i32): void {
  store<i32>(SLOTS + slot * SLOT_SIZE, start);
  store<i32>(SLOTS + slot * SLOT_SIZE, end, 4);
}

/** Reads the entry at `at` into the slots from 0 on. Returns the position after it. */
export function readEntry(at: i32): i32 {
  usedSlots = 0;
  return readObject(at, ENTRY, ENTRY_MEMBERS, ENTRY_REQUIRED);
}

function readObject(at: i32, shape: i32, count: i32, required: i32): i32 {
  const base = usedSlots;
  usedSlots += count;
  if (load<u8>(at) !== OPEN_OBJECT || usedSlots > MAX_SLOTS) return NOT_PLAIN;
  memory.fill(SLOTS + base * SLOT_SIZE, 0, count * SLOT_SIZE);
  let i = at;
  let m = 0;
  do {
    i = skipSpace(i + 1);
    if (load<u8>(i) !== QUOTE) return NOT_PLAIN;
    i++;
    // Members mostly come in the order of the shape, so try the next one first.
    let member = memberAt(shape + m);
    for (let tries = count; !matches(i, member, VECTOR); member = memberAt(shape + m)) {
      if (--tries === 0) return NOT_PLAIN;
      m = m + 1 === count ? 0 : m + 1;
    }
    if (startOf(base + m) !== 0) return NOT_PLAIN;
    i = skipSpace(i + load<i32>(member, NAME_LENGTH));
    if (load<u8>(i) !== COLON) return NOT_PLAIN;
    i = readValue(skipSpace(i + 1), load<i32>(member, KIND), base + m);
    if (i === NOT_PLAIN) return NOT_PLAIN;
    i = skipSpace(i);
    m = m + 1 === count ? 0 : m + 1;
  } while (load<u8>(i) === COMMA);
  for (let r = 0; r < required; r++) if (startOf(base + r) === 0) return NOT_PLAIN;
  return load<u8>(i) === CLOSE_OBJECT ? i + 1 : NOT_PLAIN;
}

function memberAt(index: i32): i32 {
  return MEMBERS + index * MEMBER_SIZE;
}

/** Returns the position after the value and its closing quote. */
function readValue(at: i32, kind: i32, slot: i32): i32 {
  if (kind === IMAGES) return readArray(at, IMAGE, IMAGE_MEMBERS, IMAGE_REQUIRED, slot);
  if (kind === ALTERNATES) return readArray(at, ALTERNATE, ALTERNATE_MEMBERS, ALTERNATE_REQUIRED, slot);
  if (kind === PRIORITY) {
    const behind = findPriority(at);
    setSlot(slot, at, priorityEnd);
    return behind;
  }
  if (load<u8>(at) !== QUOTE) return NOT_PLAIN;
  const end = findEnd(at + 1, kind);
  if (end === NOT_PLAIN) return NOT_PLAIN;
  setSlot(slot, at + 1, end);
  return end + 1;
}

/** The position of the quote after the value at `at`. */
function findEnd(at: i32, kind: i32): i32 {
  switch (kind) {
    case URL:
      return findUrlEnd(at);
    case TEXT:
      return findTextEnd(at);
    case DATE:
      return findDateEnd(at);
    case CHANGEFREQ:
      return findChangefreqEnd(at);
    default:
      return findLanguageEnd(at);
  }
}

function readArray(at: i32, shape: i32, count: i32, required: i32, slot: i32): i32 {
  if (load<u8>(at) !== OPEN_ARRAY) return NOT_PLAIN;
  const first = usedSlots;
  let objects = 0;
  let i = skipSpace(at + 1);
  if (load<u8>(i) !== CLOSE_ARRAY) {
    while (true) {
      i = readObject(i, shape, count, required);
      if (i === NOT_PLAIN) return NOT_PLAIN;
      objects++;
      i = skipSpace(i);
      if (load<u8>(i) !== COMMA) break;
      i = skipSpace(i + 1);
    }
  }
  if (load<u8>(i) !== CLOSE_ARRAY) return NOT_PLAIN;
  setSlot(slot, first, objects);
  return i + 1;
}

export function skipSpace(at: i32): i32 {
  let i = at;
  while (isSpace(load<u8>(i))) i++;
  return i;
}

function isSpace(byte: u8): bool {
  return byte <= 0x20 && (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09);
}
