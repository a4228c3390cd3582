/**
 * Converts texts into the values of entries. CSV and XML have only texts, and JSON and Parquet may have a text for a number or a boolean.
 */
import type { ValueShape } from '../../../core/sitemap/entry-shape.ts';

export type ValueKind =
  /** A text that is kept unchanged and may be empty, such as a title or a caption. */
  | 'text'
  /** A text that is trimmed and not empty: a URL, a date, a word or a code. */
  | 'token'
  | 'number'
  | 'boolean';

export function valueKindOf({ type, format, enum: words }: ValueShape): ValueKind {
  if (type === 'boolean') return 'boolean';
  if (type === 'number' || type === 'integer') return 'number';
  const isText = (format === undefined && words === undefined) || format === 'stock-tickers';
  return isText ? 'text' : 'token';
}

/** Matches xsd:decimal and the numbers of JSON. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const TRUE: ReadonlySet<string> = new Set(['true', 'yes', 't', 'y', '1']);
const FALSE: ReadonlySet<string> = new Set(['false', 'no', 'f', 'n', '0']);

/**
 * The words that programs write for an absent value: databases, pandas, R and Excel. In a value of the kind `text`, such a word may be the
 * text itself.
 */
const ABSENT: ReadonlySet<string> = new Set([
  ...['NULL', 'null', 'None', 'NaN', 'nan', 'NaT', '<NA>', '\\N'],
  ...['NA', 'N/A', 'n/a', '#N/A'],
]);

export function isAbsentWord(kind: ValueKind, text: string): boolean {
  return kind !== 'text' && ABSENT.has(text);
}

/** Words that people write for an absent value. They may be a mistake, so a person has to say that such a word means nothing. */
const isAbsentText = (text: string) => /^(?:none|nil|unknown|[-–—?.]{1,3})$/i.test(text);
export const isAbsentToPeople = (value: unknown) => typeof value === 'string' && isAbsentText(value);

/**
 * Returns the JSON value for a text. A text that is no value of its kind stays a text, which the rules of the entry refuse. With a decimal
 * comma, a text with a point is no number, because the point may separate thousands. Tokens with a decimal comma are dates as numbers.
 */
export function valueIn(kind: ValueKind, text: string, hasDecimalComma = false): string | number | boolean {
  if (kind === 'boolean') {
    const word = text.toLowerCase();
    return TRUE.has(word) || (FALSE.has(word) ? false : text);
  }
  if (kind === 'token' && hasDecimalComma && DECIMAL_COMMA.test(text)) return text.replace(',', '.');
  if (kind !== 'number' || (hasDecimalComma && text.includes('.'))) return text;
  const written = hasDecimalComma ? text.replace(',', '.') : text;
  if (!NUMBER.test(written)) return text;
  const number = Number(written);
  // JSON has no infinity.
  return Number.isFinite(number) ? number : text;
}

const DECIMAL_COMMA = /^\d+,\d+$/;
/** Whether the text is a number with a decimal comma. */
export const isWithComma = (text: unknown) => typeof text === 'string' && DECIMAL_COMMA.test(text);
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;

/** Whether the text is a number without sign and exponent, as JSON writes it. */
export function isPlainNumber(text: Uint8Array, start: number, end: number): boolean {
  let i = start;
  while (i < end && text[i]! >= ZERO && text[i]! <= NINE) i++;
  const isWhole = i > start && (i === start + 1 || text[start] !== ZERO);
  if (!isWhole || i === end) return isWhole;
  if (text[i] !== POINT || i + 1 === end) return false;
  i++;
  while (i < end && text[i]! >= ZERO && text[i]! <= NINE) i++;
  return i === end;
}
