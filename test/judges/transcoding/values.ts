/** The JSON of values: for each kind those that are notable, and random ones. */
import { NOTABLE_CODES, randomCode } from './codes.ts';
import { notableDates, randomDate } from './dates.ts';
import type { Manner } from './manner.ts';
import { notableNumbers, randomInteger, randomNumber } from './numbers.ts';
import type { Kind } from './shapes.ts';
import { notableTexts, randomText } from './texts.ts';
import { MALFORMED_VALUES, ODD_VALUES } from './unknown-members.ts';
import { notableUrls, randomUrl } from './urls.ts';

/** A kind of value that is neither an object nor a list. */
export type PlainKind = Exclude<Kind, { is: 'object' | 'list' }>;
type StringKind = Exclude<PlainKind, { is: 'number' | 'integer' | 'boolean' }>;

export function isString(kind: PlainKind): kind is StringKind {
  return kind.is !== 'number' && kind.is !== 'integer' && kind.is !== 'boolean';
}

/** A plain value that every rule accepts, as JSON. */
export const ORDINARY: Readonly<Record<PlainKind['is'], string>> = {
  url: '"https://a.example/b"',
  text: '"A text"',
  date: '"2026-01-15"',
  changefreq: '"weekly"',
  language: '"de"',
  newsLanguage: '"en"',
  stockTickers: '"NASDAQ:A"',
  number: '0.8',
  integer: '60',
  boolean: 'true',
};

/** Texts of that kind, valid and not. */
export function notableStrings(kind: StringKind): Iterable<string> {
  switch (kind.is) {
    case 'url':
      return notableUrls();
    case 'text':
      return notableTexts(kind.min, kind.max);
    case 'date':
      return notableDates();
    default:
      return NOTABLE_CODES[kind.is];
  }
}

/** Tokens of that kind, valid and not. */
export function notableTokens(kind: Exclude<PlainKind, StringKind>): readonly string[] {
  return kind.is === 'boolean' ? ['true', 'false', ...MALFORMED_VALUES] : notableNumbers();
}

/** A value as JSON: one that every rule accepts, or mostly so, unless the manner wants an odd one. */
export function randomValue(kind: PlainKind, manner: Manner): string {
  const { random } = manner;
  const isOdd = manner.isOdd();
  if (isOdd && random.onceIn(5)) return random.pick(random.onceIn(8) ? MALFORMED_VALUES : ODD_VALUES);
  switch (kind.is) {
    case 'url':
      return manner.text(randomUrl(random, isOdd));
    case 'text':
      return manner.text(randomText(kind.min, kind.max, random, isOdd));
    case 'date':
      return manner.text(randomDate(random, isOdd));
    case 'number':
      return randomNumber(kind.max, random, isOdd);
    case 'integer':
      return randomInteger(random, isOdd);
    case 'boolean':
      return random.pick(isOdd ? ODD_VALUES : ['true', 'false']);
    default:
      return manner.text(randomCode(kind.is, random, isOdd));
  }
}
