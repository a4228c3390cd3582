/** The ways to write a string in JSON, and strings that are not JSON. */
import type { Random } from './random.ts';

export type Way = (text: string, random: Random) => string;

const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '/': '\\/',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** Every unit of UTF-16 as an escape, so a character beyond U+FFFF is a pair of escapes. */
function escaped(text: string, writeHex: (unit: number) => string): string {
  let written = '"';
  for (let i = 0; i < text.length; i++) written += `\\u${writeHex(text.charCodeAt(i))}`;
  return `${written}"`;
}

const hex = (unit: number) => unit.toString(16).padStart(4, '0');

function withShortEscapes(text: string): string {
  // Only JSON.stringify knows which other characters it must escape: controls and lone surrogates.
  return JSON.stringify(text).replaceAll('/', '\\/');
}

/** All characters that JSON.stringify escapes, lone surrogates included, and some that it does not. */
const MAYBE_ESCAPED = /["\\\p{Cc}\p{Cs}]/u;

/** Each character raw if it may be, as a short escape, or with hexadecimal digits of either case. */
function mixed(text: string, random: Random): string {
  let written = '"';
  for (const character of text) {
    const way = random.below(4);
    if (way === 0) {
      for (let i = 0; i < character.length; i++)
        written += `\\u${anyCase(hex(character.charCodeAt(i)), random)}`;
    } else if (way === 1 && character in SHORT) written += SHORT[character];
    else written += MAYBE_ESCAPED.test(character) ? JSON.stringify(character).slice(1, -1) : character;
  }
  return `${written}"`;
}

/** The letters of a text, each in upper or lower case. */
export function anyCase(text: string, random: Random): string {
  let result = '';
  for (const character of text) {
    result += random.onceIn(2) ? character.toUpperCase() : character.toLowerCase();
  }
  return result;
}

export const WAYS = {
  raw: (text) => JSON.stringify(text),
  'short escapes': withShortEscapes,
  'lower-case hexadecimal': (text) => escaped(text, hex),
  'upper-case hexadecimal': (text) => escaped(text, (unit) => hex(unit).toUpperCase()),
  mixed,
} as const satisfies Record<string, Way>;

/** Insides of strings that no parser of JSON takes. Some look like escapes. */
export const MALFORMED_INSIDES: readonly string[] = [
  '\\x41',
  '\\U0041',
  '\\u',
  '\\u4',
  '\\u04',
  '\\u004',
  '\\u004g',
  '\\ug041',
  '\\u 041',
  '\\u+041',
  '\\u-041',
  '\\u0x41',
  '\\u00\\u0041',
  '\\ud83d\\u',
  '\\ud83d\\ude0',
  '\\',
  "\\'",
  '\\a',
  '\\v',
  '\\0',
  '\\ ',
  '\\\n',
  '\\é',
  '"',
  ...Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)),
];
