/**
 * Reads JSON objects of known shapes without making objects of them: where each wanted value stands is put into
 * slots, a start and an end for each member of the shape, in the order of the shape. A start of 0 stands for a
 * member that is absent, for no value is at the beginning of its JSON. The end is negative where the value must be
 * escaped in XML.
 *
 * An object is plain if it has members of its shape only, the required ones among them, each at most once and
 * each plain (see `Kind`).
 */

import { findTextEnd } from './plain-text.ts';
import { PlainUrls } from './plain-urls.ts';
import { findPriority, isPlainChangefreq, isPlainDate, PlainLanguageTags } from './plain-values.ts';

const NOT_PLAIN = -1;

const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

export type Kind = 'url' | 'text' | 'date' | 'changefreq' | 'priority' | 'language';

export interface Shape {
  /** So many members, from the first on, must be there. */
  readonly required: number;
  /** Names with their closing quote, in the order in which they mostly come. */
  readonly keys: readonly Uint8Array[];
  /** An array's slots hold where the slots of its first element are, and how many elements there are. */
  readonly values: readonly (Kind | Shape)[];
}

export function shapeOf(required: number, members: Readonly<Record<string, Kind | Shape>>): Shape {
  const keys = Object.keys(members).map((name) => new Uint8Array(Buffer.from(`${name}"`)));
  return { required, keys, values: Object.values(members) };
}

export const slotsOf = (shape: Shape) => 2 * shape.keys.length;

/** An entry with so many images and alternates takes long in any way. */
const MAX_SLOTS = 2048;

export class PlainObjects {
  readonly slots = new Int32Array(MAX_SLOTS);
  readonly #urls = new PlainUrls();
  readonly #languages = new PlainLanguageTags();
  #usedSlots = 0;

  /** Reads the object that begins at `at`, its slots from 0. Returns the position behind it, or -1. */
  read(json: Uint8Array, at: number, shape: Shape): number {
    this.#usedSlots = 0;
    return this.#readObject(json, at, shape);
  }

  #readObject(json: Uint8Array, at: number, shape: Shape): number {
    const { keys } = shape;
    const base = this.#usedSlots;
    this.#usedSlots += 2 * keys.length;
    if (json[at] !== OPEN_OBJECT || this.#usedSlots > MAX_SLOTS) return NOT_PLAIN;
    for (let slot = base; slot < this.#usedSlots; slot++) this.slots[slot] = 0;
    let i = at;
    let k = 0;
    do {
      i = skipSpace(json, i + 1);
      if (json[i] !== QUOTE) return NOT_PLAIN;
      i++;
      // Members mostly come in the order of the shape: the one behind the last is tried first.
      let tries = keys.length;
      while (!startsWith(json, i, keys[k]!)) {
        if (--tries === 0) return NOT_PLAIN;
        k = k + 1 === keys.length ? 0 : k + 1;
      }
      if (this.slots[base + 2 * k]! > 0) return NOT_PLAIN;
      i = skipSpace(json, i + keys[k]!.length);
      if (json[i] !== COLON) return NOT_PLAIN;
      i = this.#readValue(json, skipSpace(json, i + 1), shape.values[k]!, base + 2 * k);
      if (i === NOT_PLAIN) return NOT_PLAIN;
      i = skipSpace(json, i);
      k = k + 1 === keys.length ? 0 : k + 1;
    } while (json[i] === COMMA);
    for (let r = 0; r < shape.required; r++) if (this.slots[base + 2 * r] === 0) return NOT_PLAIN;
    return json[i] === CLOSE_OBJECT ? i + 1 : NOT_PLAIN;
  }

  /** Returns the position behind the value, its closing quote included. */
  #readValue(json: Uint8Array, at: number, kind: Kind | Shape, slot: number): number {
    if (typeof kind === 'object') return this.#readArray(json, at, kind, slot);
    if (kind === 'priority') {
      const found = findPriority(json, at);
      if (found === NOT_PLAIN) return NOT_PLAIN;
      // What is written ends before zeros that mean nothing; what was read ends behind them.
      return this.#found(slot, at, at + (found & 0xff), at + (found >> 8));
    }
    if (json[at] !== QUOTE) return NOT_PLAIN;
    const end = this.#findEnd(json, at + 1, kind);
    if (end === NOT_PLAIN) return NOT_PLAIN;
    const needsEscape = kind === 'text' || (kind === 'url' && this.#urls.needsEscape);
    return this.#found(slot, at + 1, needsEscape ? -end : end, end + 1);
  }

  #findEnd(json: Uint8Array, at: number, kind: Kind): number {
    switch (kind) {
      case 'url':
        return this.#urls.findEnd(json, at);
      case 'text':
        return findTextEnd(json, at);
      case 'date': {
        const end = findQuote(json, at, 25);
        return isPlainDate(json, at, end) ? end : NOT_PLAIN;
      }
      case 'changefreq': {
        const end = findQuote(json, at, 7);
        return isPlainChangefreq(json, at, end) ? end : NOT_PLAIN;
      }
      default: {
        const end = findQuote(json, at, 9);
        return json[end] === QUOTE && this.#languages.has(json, at, end) ? end : NOT_PLAIN;
      }
    }
  }

  #readArray(json: Uint8Array, at: number, shape: Shape, slot: number): number {
    if (json[at] !== OPEN_ARRAY) return NOT_PLAIN;
    const first = this.#usedSlots;
    let count = 0;
    let i = skipSpace(json, at + 1);
    if (json[i] !== CLOSE_ARRAY) {
      for (;;) {
        i = this.#readObject(json, i, shape);
        if (i === NOT_PLAIN) return NOT_PLAIN;
        count++;
        i = skipSpace(json, i);
        if (json[i] !== COMMA) break;
        i = skipSpace(json, i + 1);
      }
    }
    return json[i] === CLOSE_ARRAY ? this.#found(slot, first, count, i + 1) : NOT_PLAIN;
  }

  #found(slot: number, start: number, end: number, behind: number): number {
    this.slots[slot] = start;
    this.slots[slot + 1] = end;
    return behind;
  }
}

export function skipSpace(json: Uint8Array, at: number): number {
  let i = at;
  while (json[i] === 0x20 || json[i] === 0x0a || json[i] === 0x0d || json[i] === 0x09) i++;
  return i;
}

function startsWith(json: Uint8Array, at: number, key: Uint8Array): boolean {
  for (let i = 0; i < key.length; i++) if (json[at + i] !== key[i]) return false;
  return true;
}

/** The position of the next quote, at most `limit` bytes on; beyond, whatever stands there. */
function findQuote(json: Uint8Array, at: number, limit: number): number {
  const end = at + limit;
  let i = at;
  while (i < end && json[i] !== QUOTE) i++;
  return i;
}
