/** JSON numbers (RFC 8259, section 6): reads those within limits as the plain decimals that XML requires. */
import { HYPHEN, LETTER_E, PLUS, POINT, ZERO } from '../ascii.ts';
import { formatNumber } from './host.ts';
import { keepScratch, LEFT, scratchFor, setValue } from './strings.ts';

/** A number with at most 15 digits, without leading and trailing zeros, is the shortest that reads back as the same. */
const EXACT_DIGITS: i32 = 15;
/** With at most this many digits, all terms of `isShortest` fit into an i64. */
const MAX_SHORTEST_DIGITS: i32 = 17;
const MAX_SHORTEST_EXPONENT: i32 = 57;
const MANTISSA_BITS: i32 = 52;
/** Sixteen digits fit into an i64 and cover all safe integers. */
const INTEGER_DIGITS: i32 = 16;
/** `0.`, 24 places, and some room. */
const MAX_NUMBER_LENGTH: i32 = 32;

function isDigit(at: i32): bool {
  return <u8>(load<u8>(at) - ZERO) < 10;
}

function digitsEnd(at: i32): i32 {
  let i = at;
  while (isDigit(i)) i++;
  return i;
}

/** Whether the number goes on at `at`, after the part that a simple reader took. */
function goesOn(at: i32): bool {
  const byte = load<u8>(at);
  return byte === POINT || (byte | 0x20) === LETTER_E || isDigit(at);
}

/** Reads `0`, `0.5` or `4.50` as `value`. Returns the position after it. */
export function readDecimal(at: i32, min: f64, max: f64): i32 {
  const whole = <i32>load<u8>(at) - <i32>ZERO;
  if (whole < 0 || <f64>whole > max || <f64>whole < min) return readNumber(at, false, min, max);
  let end = at + 1;
  let i = end;
  if (load<u8>(i) === POINT) {
    i = digitsEnd(++i);
    for (end = i; load<u8>(end - 1) === ZERO; ) end--;
    if (load<u8>(end - 1) === POINT) end--;
    if (i === at + 2) return readNumber(at, false, min, max);
    if (end - at - 1 > EXACT_DIGITS && !isShortest(at, end)) return readNumber(at, false, min, max);
  }
  const isTooLarge = <f64>whole === max && end > at + 1;
  if (isTooLarge || goesOn(i)) return readNumber(at, false, min, max);
  setValue(at, end);
  return i;
}

/**
 * Whether JavaScript writes the double nearest to `d.ddd…` with these same digits: no fewer denote that double, and no others of this
 * length are nearer to it (ECMA-262, Number::toString). Also false where the answer takes too much work. `at + 1`: the point. `end`:
 * after the last digit, which is not 0.
 */
function isShortest(at: i32, end: i32): bool {
  const places = end - at - 2;
  let digits: i64 = load<u8>(at) - ZERO;
  let scale: i64 = 1;
  if (places >= MAX_SHORTEST_DIGITS + <i32>(digits === 0)) return false;
  for (let i = at + 2; i < end; i++) {
    digits = digits * 10 + (load<u8>(i) - ZERO);
    scale *= 10;
  }
  // The number is digits / scale, and the double mantissa / 2 ** exponent. The quotient below is at most two steps away from that double.
  const bits = reinterpret<i64>(<f64>digits / <f64>scale);
  const exponent = 1023 + MANTISSA_BITS - <i32>(bits >> MANTISSA_BITS);
  if (exponent > MAX_SHORTEST_EXPONENT) return false;
  const implicitOne = (<i64>1) << MANTISSA_BITS;
  let mantissa = (bits & (implicitOne - 1)) | implicitOne;
  // Number - double, in units of 1 / (scale * 2 ** exponent): a step of the double is `scale`, of the number `step`. The
  // products overflow, their difference does not.
  const step = (<i64>1) << exponent;
  let difference = digits * step - mantissa * scale;
  for (; 2 * difference > scale; difference -= scale) mantissa++;
  for (; 2 * difference < -scale; difference += scale) mantissa--;
  // A double that is a power of two has a nearer neighbour below.
  if (mantissa <= implicitOne || mantissa >= 2 * implicitOne) return false;
  const isNearest = 2 * difference < step && 2 * difference > -step;
  // The nearest numbers with one digit less, below and above, must denote other doubles.
  const last = digits % 10;
  const isNeeded = 2 * (last * step - difference) > scale && 2 * ((10 - last) * step + difference) > scale;
  return isNearest && isNeeded && 2 * difference !== scale && 2 * difference !== -scale;
}

/** Reads a whole number as `value`. Returns the position after it. */
export function readInteger(at: i32, min: f64, max: f64): i32 {
  const end = digitsEnd(at);
  const isSimple = end > at && end - at <= INTEGER_DIGITS && (load<u8>(at) !== ZERO || end === at + 1);
  if (!isSimple || goesOn(end)) return readNumber(at, true, min, max);
  let number: i64 = 0;
  for (let i = at; i < end; i++) number = number * 10 + (load<u8>(i) - ZERO);
  if (<f64>number < min || <f64>number > max) return LEFT;
  setValue(at, end);
  return end;
}

/** Reads a number in any spelling of JSON. */
function readNumber(at: i32, isInteger: bool, min: f64, max: f64): i32 {
  const end = skipNumber(at);
  const to = scratchFor(MAX_NUMBER_LENGTH);
  if (end === LEFT || to === LEFT) return LEFT;
  const length = formatNumber(isInteger, min, max, at, end, to);
  if (length === 0) return LEFT;
  setValue(to, to + length);
  keepScratch(to + length);
  return end;
}

/** Returns the position after the number at `at`; LEFT if there is no number. */
export function skipNumber(at: i32): i32 {
  const first = load<u8>(at) === HYPHEN ? at + 1 : at;
  let i = digitsEnd(first);
  if (i === first || (load<u8>(first) === ZERO && i > first + 1)) return LEFT;
  if (load<u8>(i) === POINT) {
    const fraction = i + 1;
    i = digitsEnd(fraction);
    if (i === fraction) return LEFT;
  }
  if ((load<u8>(i) | 0x20) === LETTER_E) {
    const sign = load<u8>(i + 1);
    const exponent = sign === HYPHEN || sign === PLUS ? i + 2 : i + 1;
    i = digitsEnd(exponent);
    if (i === exponent) return LEFT;
  }
  return i;
}
