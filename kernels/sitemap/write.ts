/** Writes the entry in the slots as XML, in the order of the tables. */
import {
  LIST,
  MEMBER_SIZE,
  MEMBER_VALUE,
  OBJECT,
  SHAPE_CLOSE,
  SHAPE_COUNT,
  SHAPE_MEMBERS,
  SHAPE_NAMESPACE,
  SHAPE_OPEN,
  VALUE_CLOSE,
  VALUE_KIND,
  VALUE_OF,
  VALUE_OPEN,
} from '../../src/core/sitemap/kernel-layout.ts';
import { copy } from '../vectors.ts';
import { appendText } from './fixed-texts.ts';
import { MAX_ENTRY_XML_BYTES, NEWS_NAMESPACE } from './host.ts';
import { endOf, hasReferences, nextOf, startOf } from './slots.ts';
import { copyEscaped, MAX_REFERENCE_LENGTH } from './texts.ts';

/** Returned instead of a position. */
export const NO_ROOM: i32 = 0;

/** An upper bound of the bytes of XML before and after a value. */
const MAX_TAGS_LENGTH: i32 = 128;

/** The namespaces of all entries that were written since the host set this to 0. */
export let namespaces: i32 = 0;
export let newsEntries: i32 = 0;

/**
 * Writes the entry with this slot at `to`. Returns the position after it, or NO_ROOM if its XML might go beyond `limit`,
 * or is larger than any file may be.
 */
export function writeEntry(shape: i32, slot: i32, to: i32, limit: i32): i32 {
  const formerNamespaces = namespaces;
  const formerNewsEntries = newsEntries;
  const end = writeObject(shape, startOf(slot), to, limit);
  if (end !== NO_ROOM && end - to <= MAX_ENTRY_XML_BYTES) return end;
  namespaces = formerNamespaces;
  newsEntries = formerNewsEntries;
  return NO_ROOM;
}

function writeObject(shape: i32, firstSlot: i32, to: i32, limit: i32): i32 {
  if (limit - to < MAX_TAGS_LENGTH) return NO_ROOM;
  const namespace = load<i32>(shape, SHAPE_NAMESPACE);
  namespaces |= namespace;
  if (namespace === NEWS_NAMESPACE) newsEntries++;
  let o = appendText(load<i32>(shape, SHAPE_OPEN), to);
  const endSlot = firstSlot + load<i32>(shape, SHAPE_COUNT);
  let value = shape + SHAPE_MEMBERS + MEMBER_VALUE;
  for (let slot = firstSlot; slot < endSlot; slot++, value += MEMBER_SIZE) {
    if (startOf(slot) === 0) continue;
    o = writeValue(value, slot, o, limit);
    if (o === NO_ROOM) return NO_ROOM;
  }
  return limit - o < MAX_TAGS_LENGTH ? NO_ROOM : appendText(load<i32>(shape, SHAPE_CLOSE), o);
}

function writeValue(value: i32, slot: i32, to: i32, limit: i32): i32 {
  const kind = load<i32>(value, VALUE_KIND);
  const start = startOf(slot);
  if (kind === OBJECT) return writeObject(load<i32>(value, VALUE_OF), start, to, limit);
  if (kind === LIST) return writeList(load<i32>(value, VALUE_OF), start, to, limit);
  const end = endOf(slot);
  if (limit - to < MAX_TAGS_LENGTH + MAX_REFERENCE_LENGTH * (end - start)) return NO_ROOM;
  const o = appendText(load<i32>(value, VALUE_OPEN), to);
  const behind = hasReferences(slot) ? copyEscaped(start, end, o) : copy(start, end - start, o);
  return appendText(load<i32>(value, VALUE_CLOSE), behind);
}

function writeList(element: i32, firstSlot: i32, to: i32, limit: i32): i32 {
  let o = to;
  for (let slot = firstSlot; slot !== 0; slot = nextOf(slot)) {
    o = writeValue(element, slot, o, limit);
    if (o === NO_ROOM) return NO_ROOM;
  }
  return o;
}
