/** The ways to write a number in JSON, and texts that are almost numbers. */
import { MAX_VIDEO_DURATION_S } from '../../../src/core/sitemap/limits.ts';
import type { Random } from './random.ts';
import { words } from './words.ts';

const ZERO = words(`
  0 -0 0.0 -0.0 0.000 0e0 0E+0 -0e5 0e-400 0e400 0e999999999999 1e-400 -1e-400
`);
const ONE = words(`
  1 1.0 1.00 1e0 1E0 1e+0 1E+0 1e-0 1e00 10e-1 0.1e1 0.01E2 100e-2 1000e-3 1000000000000000000000e-21
  0.000000000000000000000001e24 1e+00000000000000000001 1e-00000000000000000001
`);
const FRACTIONS = words(`
  0.5 0.50 5e-1 0.05e1 50E-2 0.10 0.1 0.8 0.64 0.640000000000000000000000000 0.3 0.7
  0.30000000000000004 0.1000000000000000055511151231257827 0.12345678901234567 0.1234567890123456789
  0.99999999999999994 0.99999999999999999 0.9999999999999999 1.0000000000000001 1.0000000000000002
  1e-6 0.000001 1e-7 0.0000001 0.00000012 1e-8 1.5e-8 9.9e-9 1.23456789012345678e-8
  1.2345678901234567e-7 9.876543210987654e-9 1e-9 1e-23 1.5e-23 1.5e-24 15e-25 1e-24 10e-25
  1e-25 0.000000000000000000000001 0.0000000000000000000000001 9.99e-24 5e-324 2.2250738585072014e-308
  1234567e-6 0.1e-6 4.25 4.250 425e-2 1.1 2 2.5 4.9999999999999999 4.9999999999999991
  5 5.0 0.5e1 50e-1 5.0000000000000001 5.000000000000001 5.1 -1 -0.1 -1e-30 6
`);
const WHOLE = words(`
  60 60.0 60.000 6e1 6E+01 600e-1 0.6e2 0.006e4 59.99999999999999999999 60.5 1.5 12345
  28800.0 2.88e4 28800.5 28800.000000000001 28799.9999999999999999999 28801 0.9 1e3 1e4 1e5
  9007199254740991 9007199254740991.0 9.007199254740991e15 90071992547409.91e2 900719925474099100e-2
  9007199254740991.4 9007199254740991.5 9007199254740992 9.007199254740992e15 9007199254740993
  9007199254740990 4503599627370497.5 1e15 9e15 1e16 1e20 1e21 1e22 123456789012345678901234567890
  18446744073709551616 18446744073709551615 4294967296 4294967295 2147483648 -9007199254740991
`);
const HUGE = words(
  '1e308 1.7976931348623157e308 1.7976931348623159e308 1e309 1e400 -1e400 1e99999999999999999999',
);
const LONG = [
  `0.${'0'.repeat(400)}1e401`,
  `0.5${'0'.repeat(500)}`,
  `0.5${'0'.repeat(500)}1`,
  `${'1'.repeat(310)}e-310`,
  `6${'0'.repeat(400)}e-399`,
  `0.${'3'.repeat(100)}`,
];

const NOTABLE_TOKENS: readonly string[] = [
  ...[...ZERO, ...ONE, ...FRACTIONS, ...WHOLE, ...HUGE, ...LONG],
  ...[MAX_VIDEO_DURATION_S - 1, MAX_VIDEO_DURATION_S, MAX_VIDEO_DURATION_S + 1].map(String),
];

const MALFORMED_NUMBERS: readonly string[] = [
  ...words(`
    01 00 - +1 +0.5 1. 0. .5 -.5 1.e1 1e 1e+ 1E- 0e 1e1.5 1e1e1 0.5.5 0x1 1_000 1f 1n NaN Infinity -Infinity
    --1 -01 00.5 １ ١ 1e٣ 0.５ 1,0 0.1e 0.e1 -e1 e1 0b1 '1' 1;
  `),
  ...['1 2', '- 1', '1. 0', '1 e0', '1\u00a0'],
];

/** Every decimal from 0 to 1 in steps of a hundredth, and all that is special. */
export function notableNumbers(): readonly string[] {
  const hundredths = Array.from({ length: 101 }, (_, n) => String(n / 100));
  return [...NOTABLE_TOKENS, ...hundredths, ...MALFORMED_NUMBERS];
}

/** A number from 0 to `max`, or a token that breaks a rule or a grammar. */
export function randomNumber(max: number, random: Random, isOdd: boolean): string {
  if (isOdd) return random.pick(random.onceIn(4) ? MALFORMED_NUMBERS : NOTABLE_TOKENS);
  if (random.onceIn(2)) return String(random.below(max * 10 + 1) / 10);
  if (random.onceIn(2)) return numberOfManyDigits(max, random);
  const places = random.onceIn(3) ? random.between(1, 17) : random.between(1, 4);
  const decimal = `0.${random.text('0123456789', places)}`;
  return respelt(Number(random.onceIn(20) ? random.pick(ONE) : decimal), random);
}

/** A double below `max` with 15 to 17 digits, or a decimal beside it. Many are the neighbours of a power of two. */
function numberOfManyDigits(max: number, random: Random): string {
  const power = 2 ** -random.below(6);
  const ulps = random.onceIn(4) ? random.between(-2, 2) : random.below(2 ** 32) * 2 ** 20;
  const double = Math.abs(Math.min(max, power * (1 + ulps * Number.EPSILON)));
  const digits = random.between(15, 17);
  const text = random.pick([String(double), double.toPrecision(digits), double.toFixed(digits)]);
  return random.onceIn(3) ? text.slice(0, -1) + random.pick([...'0123456789']) : text;
}

export function randomInteger(random: Random, isOdd: boolean): string {
  if (isOdd) return random.pick(random.onceIn(4) ? MALFORMED_NUMBERS : NOTABLE_TOKENS);
  const value = random.between(1, random.onceIn(3) ? MAX_VIDEO_DURATION_S : 100);
  return random.onceIn(2) ? String(value) : respelt(value, random);
}

/** The same number, not negative, with its point and its exponent anywhere. */
function respelt(value: number, random: Random): string {
  const [mantissa = '', exponent] = value.toExponential().split('e');
  const zeros = random.below(4);
  const digits = mantissa.replace('.', '') + '0'.repeat(zeros);
  const places = random.onceIn(4) ? 0 : random.below(digits.length + 3);
  const padded = digits.padStart(places + 1, '0');
  const whole = padded.slice(0, padded.length - places).replace(/^0+(?=\d)/, '');
  const fraction = places === 0 ? '' : `.${padded.slice(-places)}`;
  const power = Number(exponent) - (digits.length - 1) + places;
  if (power === 0 && !random.onceIn(8)) return whole + fraction;
  const sign = power < 0 ? '-' : random.pick(['', '+']);
  return `${whole}${fraction}${random.pick(['e', 'E'])}${sign}${random.pick(['', '', '0', '000'])}${Math.abs(power)}`;
}
