/**
 * Origins of URLs: scheme, host and port. The host judges and rewrites them (normaliseUrl in src/core/sitemap/url.ts), except for the
 * most common form, and the kernel remembers the answers: an upload has few hosts, or many that are alike.
 */
import { VECTOR } from '../../src/platform/kernel-layout.ts';
import { AMPERSAND, APOSTROPHE, SLASH } from '../ascii.ts';
import { copy, equals } from '../vectors.ts';
import { membersOf, setBytes } from './byte-set.ts';
import { normaliseOrigin } from './host.ts';
import { LEFT } from './strings.ts';

/** `http://` and one byte more. An origin that ends among them has no host. */
const MIN_ORIGIN_LENGTH: i32 = 8;
/** `https://`, a host of 253 characters and a dot, `:65535`, and some room. */
const MAX_ORIGIN_LENGTH: i32 = 288;

/** An origin ends before these. A quote or backslash in a host is never acceptable. */
const ENDS = memory.data(32, 16);
setBytes(ENDS, '/?#"\\');

/**
 * A record: the length as given, the length as written (0 if that is the same), whether it has `&` or `'`, then, from
 * RECORD_BYTES on, both as bytes.
 */
const RECORD_BYTES: i32 = 16;
/** The most bytes of a record. A written origin has at most three times the given length. */
const MAX_RECORD_SIZE: i32 = 16 + 4 * 304;
const RECORDS = memory.data(65536, 16);
const RECORDS_SIZE: i32 = 65536;
let recordsUsed = 0;

/** For each hash: the record of an origin, or 0. An origin is in one of PROBES slots, beginning with the slot of its hash. */
const TABLE = memory.data((4096 + 4) * 4, 16);
const TABLE_SLOTS: i32 = 4096;
const PROBES: i32 = 4;

/** The record of the origin found last. */
let current = 0;

export function givenLength(): i32 {
  return load<i32>(current);
}

/** The length of the origin as written; 0 if it is written as given. */
export function writtenLength(): i32 {
  return load<i32>(current, 4);
}

/** Whether XML needs some characters of the origin as references. */
export function originHasReferences(): bool {
  return load<i32>(current, 8) !== 0;
}

export function writtenBytes(): i32 {
  return current + RECORD_BYTES + padded(load<i32>(current));
}

function padded(length: i32): i32 {
  return (length + VECTOR - 1) & ~(VECTOR - 1);
}

/** Finds the origin of the URL at `at`. Returns the position after it, or LEFT. */
export function findOrigin(at: i32): i32 {
  // Most URLs have the same origin as the last one.
  if (current !== 0) {
    const length = load<i32>(current);
    if (isEnd(load<u8>(at + length)) && equals(at, current + RECORD_BYTES, length)) return at + length;
  }
  const end = originEnd(at);
  if (end === LEFT) return LEFT;
  const length = end - at;
  const slot = TABLE + hashOf(at, length) * 4;
  for (let probe = slot; probe < slot + PROBES * 4; probe += 4) {
    const record = load<i32>(probe);
    if (record === 0) break;
    if (load<i32>(record) === length && equals(at, record + RECORD_BYTES, length)) {
      current = record;
      return end;
    }
  }
  return learn(at, length, slot) ? end : LEFT;
}

function isEnd(byte: u8): bool {
  return byte === 0x2f || byte === 0x3f || byte === 0x23 || byte === 0x22;
}

function originEnd(at: i32): i32 {
  for (let i = at + MIN_ORIGIN_LENGTH; i - at <= MAX_ORIGIN_LENGTH; i += VECTOR) {
    const ends = membersOf(i, ENDS);
    if (ends === 0) continue;
    const end = i + ctz(ends);
    return end - at <= MAX_ORIGIN_LENGTH && isEnd(load<u8>(end)) ? end : LEFT;
  }
  return LEFT;
}

/** Hashes the length and all bytes, because names of one family of hosts may differ anywhere. */
function hashOf(at: i32, length: i32): i32 {
  let hash: u64 = length;
  let i = at;
  for (; i + 8 <= at + length; i += 8) hash = rotl<u64>((hash ^ load<u64>(i)) * 0x9e3779b1, 29);
  // The origin has at least eight bytes, so the last eight are its own.
  hash = (hash ^ load<u64>(at + length - 8)) * 0x9e3779b1;
  return <i32>(hash >> 32) & (TABLE_SLOTS - 1);
}

function learn(at: i32, length: i32, slot: i32): bool {
  if (recordsUsed + MAX_RECORD_SIZE > RECORDS_SIZE) forgetAll();
  const record = RECORDS + recordsUsed;
  const written = record + RECORD_BYTES + padded(length);
  copy(at, length, record + RECORD_BYTES);
  let newLength = 0;
  if (!isOrdinary(at, at + length)) {
    newLength = normaliseOrigin(at, at + length, written);
    if (newLength === 0) return false;
    if (newLength === length && equals(at, written, length)) newLength = 0;
  }
  store<i32>(record, length);
  store<i32>(record, newLength, 4);
  store<i32>(record, hasSpecial(at, at + length), 8);
  recordsUsed += RECORD_BYTES + padded(length) + padded(newLength);
  let free = slot;
  while (free < slot + (PROBES - 1) * 4 && load<i32>(free) !== 0) free += 4;
  store<i32>(free, record);
  current = record;
  return true;
}

function hasSpecial(from: i32, end: i32): bool {
  for (let i = from; i < end; i++) if (load<u8>(i) === AMPERSAND || load<u8>(i) === APOSTROPHE) return true;
  return false;
}

function forgetAll(): void {
  memory.fill(TABLE, 0, (TABLE_SLOTS + PROBES) * 4);
  recordsUsed = 0;
  current = 0;
}

const MAX_ORDINARY_LABEL: i32 = 40;
const MIN_ORDINARY_LABELS: i32 = 2;
const MAX_ORDINARY_LABELS: i32 = 5;

/**
 * Whether this is `https://` or `http://`, then 2 to 5 labels of 1 to 40 letters, digits, hyphens and underscores, of which none begins
 * with `xn--` and the last has at least 2 letters and nothing else. The host accepts all of them (ORDINARY_URL in src/core/sitemap/url.ts).
 * Upper case and ports are left to the host.
 */
function isOrdinary(from: i32, end: i32): bool {
  let i = from + (load<u8>(from + 4) === 0x73 ? 5 : 4);
  if (load<u32>(from) !== HTTP || load<u16>(i) !== COLON_SLASH || load<u8>(i + 2) !== SLASH) return false;
  i += 3;
  for (let labels = 1; labels <= MAX_ORDINARY_LABELS; labels++) {
    const label = i;
    let hasOnlyLetters = true;
    for (; i < end && load<u8>(i) !== 0x2e; i++) {
      const byte = load<u8>(i);
      if (<u8>(byte - 0x61) < 26) continue;
      hasOnlyLetters = false;
      if (<u8>(byte - 0x30) >= 10 && byte !== 0x2d && byte !== 0x5f) return false;
    }
    if (i === label || i - label > MAX_ORDINARY_LABEL || load<u32>(label) === A_LABEL) return false;
    if (i === end) return hasOnlyLetters && labels >= MIN_ORDINARY_LABELS && i - label >= 2;
    i++;
  }
  return false;
}

/** `http`, `:/` and `xn--`, in the order of memory. */
const HTTP: u32 = 0x70747468;
const COLON_SLASH: u16 = 0x2f3a;
const A_LABEL: u32 = 0x2d2d6e78;
