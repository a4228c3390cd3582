/** Texts that are difficult for UTF-8, UTF-16, XML or a limit on length. */
import type { Random } from './random.ts';

/** Characters of one to four bytes, at both ends of what XML allows. */
const ALLOWED = [
  ...'a0 &<>"\'/\\\t\n\r\x7f',
  '\x80',
  '\x85',
  '\x9f',
  '\xa0',
  'é',
  '\u07ff',
  '\u0800',
  '煎',
  '\u2028',
  '\ud7ff',
  '\ue000',
  '\uefff',
  '\uf000',
  '\ufeff',
  '\uffbf',
  '\ufffd',
  '\u{10000}',
  '😀',
  '\u{1fffe}',
  '\u{10ffff}',
];
const FORBIDDEN = [
  '\0',
  '\x01',
  '\b',
  '\v',
  '\f',
  '\x1b',
  '\x1f',
  '\ufffe',
  '\uffff',
  '\ud800',
  '\udbff',
  '\udc00',
  '\udfff',
  '\ude00\ud83d',
  '\ude00\udc00',
  '\ud83d\ud83d',
  '\ud83d\ud83d\ude00',
  '\ud83d\ude00\ude00',
];
const PHRASES = [
  '&amp;',
  '&#13;',
  ']]>',
  '<!--',
  '</url>',
  '\\u0041',
  '\\n',
  '\r\n',
  '\ud83d\ude00\u200d',
  '%',
  '{}',
];
const PIECES = [...ALLOWED, ...PHRASES];

/** Characters whose code points, UTF-16 units and bytes differ in number. */
const BY_BYTES = ['a', 'é', '煎', '😀', '&', "'", '"'];

/** Texts at the limits, given in code points, and with each difficult character at each of sixteen positions. */
export function notableTexts(min: number, max: number): string[] {
  const [a, two, three, four] = BY_BYTES as [string, string, string, string];
  const limits = [min - 1, min, max - 1, max, max + 1].filter((length) => length >= 0);
  const atLimits = limits.flatMap((length) => BY_BYTES.map((character) => character.repeat(length)));
  // The number of UTF-16 units is at the limit, or twice the limit.
  const units = [max / 2, max / 2 + 1].map((length) => four.repeat(length));
  const mixtures = [max, max + 1].map((length) => (a + two + three + four).repeat(length).slice(0, length));
  return [
    ...atLimits,
    ...units,
    ...mixtures.map((text) => text.toWellFormed()),
    four.repeat(max - 1) + a,
    four.repeat(max) + a,
    `${a.repeat(max - 1)}${four}`,
    `${a.repeat(max)}${four}`,
    ...PIECES,
    ...FORBIDDEN,
    ...Array.from({ length: 0xa1 }, (_, code) => String.fromCharCode(code)),
    ...PIECES.flatMap((piece) => [`${piece}b`, `b${piece}`, piece + piece]),
    ...FORBIDDEN.flatMap((piece) => [`${piece}b`, `b${piece}`]),
  ];
}

/** Each difficult character behind and before up to forty others. */
export function* textsAtEveryPosition(): Generator<string> {
  for (const piece of [...PIECES, ...FORBIDDEN]) {
    for (let before = 0; before <= 40; before++)
      yield `${'p'.repeat(before)}${piece}${'q'.repeat(40 - before)}`;
  }
}

/** A text within the limits, or one that breaks a rule. */
export function randomText(min: number, max: number, random: Random, isOdd: boolean): string {
  if (isOdd && random.onceIn(4)) return atLimit(max + 1, random);
  if (isOdd && min > 0 && random.onceIn(4)) return '';
  if (random.onceIn(max > 1000 ? 2_000 : 40)) return atLimit(max, random);
  let text = random.onceIn(8) ? 'p'.repeat(random.below(41)) : '';
  const count = random.onceIn(4) ? random.below(12) : random.below(4);
  for (let i = 0; i < count; i++) {
    text += random.onceIn(2) ? random.text('abcdefghij klmn', random.between(1, 12)) : random.pick(PIECES);
  }
  if (isOdd) text = `${text}${random.pick(FORBIDDEN)}${random.onceIn(2) ? 'z' : ''}`;
  return text.length < min ? 'a' : withoutSplitPair(text.slice(0, max));
}

function atLimit(codePoints: number, random: Random): string {
  const [one, other] = [random.pick(BY_BYTES), random.pick(BY_BYTES)];
  const ones = random.below(codePoints + 1);
  return one.repeat(ones) + other.repeat(codePoints - ones);
}

function withoutSplitPair(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last < 0xdc00 && text.length > 1 ? text.slice(0, -1) : text;
}
