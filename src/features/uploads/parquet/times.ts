/** Writes dates and times of a Parquet file as W3C has them, with seconds, and a fraction if there is one. */
import type { JsonBytes } from '../forms/json-bytes.ts';
import { Values } from './values.ts';

const DAY_SECONDS = 86_400;
const QUOTE = 0x22;
const ZERO = 0x30;
const WORD = 2 ** 32;
/**
 * The most bytes of a time with its quotes, as in `"2026-01-15T10:00:00.123456789Z"`. A day beyond the range of Date is written as its number,
 * which is longer than a date.
 */
const MOST_BYTES = 64;

/** The most days whose texts are kept: about eleven years. */
const MAX_KEPT_DAYS = 4096;

/** Keeps the texts of days, because a list has many dates of few days. */
class KnownDays {
  readonly #kept = new Map<number, Buffer>();
  #lastDay = Number.NaN;
  #last: Buffer = Buffer.alloc(0);

  /** Returns the text of a day, in UTF-8. `day`: the number of days since 1970. */
  at(day: number): Buffer {
    if (day === this.#lastDay) return this.#last;
    this.#lastDay = day;
    this.#last = this.#kept.get(day) ?? this.#keep(day);
    return this.#last;
  }

  #keep(day: number): Buffer {
    if (this.#kept.size === MAX_KEPT_DAYS) this.#kept.clear();
    const date = new Date(day * DAY_SECONDS * 1000);
    // A day beyond the range of Date is written as its number. The rules of dates refuse this text later.
    const text = Number.isNaN(date.getTime()) ? `day ${day}` : date.toISOString().split('T', 1)[0]!;
    const bytes = Buffer.from(text);
    this.#kept.set(day, bytes);
    return bytes;
  }
}

export class DateValues extends Values {
  readonly #unit: 'days' | 'milliseconds';
  readonly #days = new KnownDays();

  constructor(unit: 'days' | 'milliseconds') {
    super();
    this.#unit = unit;
  }

  override write(i: number, json: JsonBytes): void {
    const bytes = this.#days.at(this.#dayOf(i));
    json.makeRoomFor(bytes, 0);
    json.string(bytes, 0, bytes.length);
  }

  #dayOf(i: number): number {
    if (this.#unit === 'days') return this.memory.view.getInt32(this.numberAt(i, 4), true);
    return Math.floor(this.memory.size(this.numberAt(i, 8)) / (DAY_SECONDS * 1000));
  }
}

/** The digits of the fraction of a second, by the letter of the unit in Arrow's format. */
export const FRACTION_DIGITS: Readonly<Record<string, number>> = { s: 0, m: 3, u: 6, n: 9 };

export class TimestampValues extends Values {
  readonly #digits: number;
  readonly #perSecond: number;
  /** Whether a value is a moment. If not, the value is the time of a clock whose zone the file does not name, and is written without a zone. */
  readonly #isMoment: boolean;
  readonly #days = new KnownDays();
  #second = 0;
  #fraction = 0;

  constructor(digits: number, isMoment: boolean) {
    super();
    this.#digits = digits;
    this.#perSecond = 10 ** digits;
    this.#isMoment = isMoment;
  }

  override write(i: number, json: JsonBytes): void {
    this.#seek(i);
    json.makeRoom(MOST_BYTES);
    const { bytes } = json;
    const day = Math.floor(this.#second / DAY_SECONDS);
    const rest = this.#second - day * DAY_SECONDS;
    bytes[json.at++] = QUOTE;
    json.put(this.#days.at(day));
    let at = putTwo(bytes, json.at, 0x54, Math.floor(rest / 3600));
    at = putTwo(bytes, at, 0x3a, Math.floor(rest / 60) % 60);
    at = putTwo(bytes, at, 0x3a, rest % 60);
    if (this.#fraction !== 0) at = putFraction(bytes, at, this.#fraction, this.#digits);
    if (this.#isMoment) bytes[at++] = 0x5a;
    bytes[at++] = QUOTE;
    json.at = at;
  }

  /**
   * Finds the second and the fraction of row `i`. Reads 64 bits as two numbers, because a bigint costs more. Reads a value that is no safe
   * integer again as a bigint.
   */
  #seek(i: number): void {
    const { view } = this.memory;
    const at = this.numberAt(i, 8);
    const value = view.getInt32(at + 4, true) * WORD + view.getUint32(at, true);
    if (Number.isSafeInteger(value)) {
      this.#second = Math.floor(value / this.#perSecond);
      this.#fraction = value - this.#second * this.#perSecond;
      return;
    }
    const exact = view.getBigInt64(at, true);
    const perSecond = BigInt(this.#perSecond);
    const fraction = ((exact % perSecond) + perSecond) % perSecond;
    this.#second = Number((exact - fraction) / perSecond);
    this.#fraction = Number(fraction);
  }
}

function putTwo(bytes: Uint8Array, at: number, before: number, number: number): number {
  bytes[at] = before;
  bytes[at + 1] = ZERO + Math.floor(number / 10);
  bytes[at + 2] = ZERO + (number % 10);
  return at + 3;
}

/** Writes the fraction without zeros at its end. */
function putFraction(bytes: Uint8Array, at: number, fraction: number, digits: number): number {
  let rest = fraction;
  let count = digits;
  for (; rest % 10 === 0; count--) rest /= 10;
  bytes[at] = 0x2e;
  for (let i = count; i > 0; i--) {
    bytes[at + i] = ZERO + (rest % 10);
    rest = Math.floor(rest / 10);
  }
  return at + 1 + count;
}
