/** The dialect of an upload's body, as its client says in the query (docs/decisions/0061). */
import { z } from 'zod';
import { DATE_SPELLINGS, type Reading, WIDE_READING } from '../../../core/sitemap/reading.ts';
import { parseBaseUrl } from '../../../core/sitemap/relative-url.ts';
import { invalidField } from '../../../platform/refusal.ts';
import { findTimeZone } from '../../../platform/time-zone.ts';
import { parseColumns } from './column-choice.ts';
import type { UploadForm } from './form.ts';

const MAX_SKIPPED_LINES = 100;
const MAX_TEXT_LENGTH = 64;
const MAX_TEXTS = 20;

/** The bytes between two cells, by name. The client may also send the byte itself. */
export const DELIMITERS: Readonly<Record<string, number>> = {
  comma: 0x2c,
  semicolon: 0x3b,
  tab: 0x09,
  pipe: 0x7c,
  'ctrl-a': 0x01,
};

export function nameOfDelimiter(delimiter: number): string {
  return Object.entries(DELIMITERS).find(([, byte]) => byte === delimiter)![0];
}

export const CHARSETS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-15'] as const;
export type Charset = (typeof CHARSETS)[number];

const oneText = z.string('must be a string');
const oneOf = <const Word extends string>(words: readonly Word[]) =>
  z.enum(words, `must be one of ${words.join(', ')}`);
/** A single text becomes a list of one text. */
const someTexts = z
  .union([z.string(), z.array(z.string())], 'must be a string, or an array of strings')
  .transform((value) => (typeof value === 'string' ? [value] : value))
  .refine(
    (texts) => texts.length <= MAX_TEXTS && texts.every((text) => text.length <= 4 * MAX_TEXT_LENGTH),
    `must be at most ${MAX_TEXTS} texts of at most ${4 * MAX_TEXT_LENGTH} characters`,
  );

/** The query parameters of a dialect. In a decoded query, a blank may stand for a `+` of the client. */
export const dialectSchemas = {
  columns: oneText.transform((text, context) => {
    const parsed = parseColumns(text);
    if (typeof parsed !== 'string') return parsed;
    context.addIssue(parsed);
    return z.NEVER;
  }),
  delimiter: oneText.transform((text, context) => {
    const byte = DELIMITERS[text] ?? (text.length === 1 ? text.charCodeAt(0) : undefined);
    if (byte !== undefined && Object.values(DELIMITERS).includes(byte)) return byte;
    context.addIssue(`must be one of ${Object.keys(DELIMITERS).join(', ')}, or the character itself`);
    return z.NEVER;
  }),
  header: oneOf(['true', 'false']).transform((text) => text === 'true'),
  skipLines: z
    .string()
    .regex(/^\d{1,3}$/, `must be a whole number from 0 to ${MAX_SKIPPED_LINES}`)
    .transform(Number)
    .refine((count) => count <= MAX_SKIPPED_LINES, `must be a whole number from 0 to ${MAX_SKIPPED_LINES}`),
  escape: oneOf(['backslash']),
  quote: oneOf(['none']),
  charset: oneText.toLowerCase().pipe(oneOf(CHARSETS)),
  decimal: oneOf(['point', 'comma']),
  null: someTexts,
  baseUrl: oneText.transform((text, context) => {
    const parsed = parseBaseUrl(text);
    if ('url' in parsed) return parsed.url;
    context.addIssue(parsed.problem);
    return z.NEVER;
  }),
  where: someTexts,
  timezone: oneText
    .transform((text) => text.replace(/^ /, '+'))
    .refine(
      (name) => findTimeZone(name) !== undefined,
      'must be UTC, an offset like +02:00, or a zone like Europe/Berlin',
    ),
  dates: oneOf(DATE_SPELLINGS),
};
type DialectName = keyof typeof dialectSchemas;

export type Dialect = { readonly [Name in DialectName]?: z.output<(typeof dialectSchemas)[Name]> };

/** Parameters that may be given more than once. */
const REPEATABLE: readonly string[] = ['null', 'where'];

/** The forms in which a parameter has a meaning. In JSON, `columns` and `where` are for an array without a document around it. */
const FORMS_OF: Readonly<Record<DialectName, readonly UploadForm[]>> = {
  columns: ['csv', 'ndjson', 'json', 'parquet'],
  where: ['csv', 'ndjson', 'json', 'parquet'],
  delimiter: ['csv'],
  header: ['csv'],
  skipLines: ['csv'],
  escape: ['csv'],
  quote: ['csv'],
  decimal: ['csv'],
  null: ['csv'],
  charset: ['csv', 'ndjson', 'text'],
  baseUrl: ['json', 'ndjson', 'csv', 'text', 'xml', 'parquet'],
  timezone: ['json', 'ndjson', 'csv', 'xml', 'parquet'],
  dates: ['json', 'ndjson', 'csv', 'xml', 'parquet'],
};

export function isDialectName(name: string): name is DialectName {
  return Object.hasOwn(dialectSchemas, name);
}

/** Parses the parameters of a dialect. Throws Refusal, also for a parameter without a meaning in the form. */
export function parseDialect(form: UploadForm, query: Readonly<Record<string, unknown>>): Dialect {
  const parsed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(query)) {
    if (!isDialectName(name)) continue;
    if (Array.isArray(value) && !REPEATABLE.includes(name)) {
      throw invalidField(name, value, 'is given more than once');
    }
    if (!FORMS_OF[name].includes(form)) throw invalidField(name, value, `has no meaning in the form ${form}`);
    const result = dialectSchemas[name].safeParse(value);
    if (!result.success) throw invalidField(name, value, result.error.issues[0]!.message);
    parsed[name] = result.data;
  }
  const dialect: Dialect = parsed;
  if (dialect.header === false && dialect.columns === undefined) {
    throw invalidField('header', 'false', 'needs columns, in their order, as in columns=-,loc,-,lastmod');
  }
  return dialect;
}

/** Returns the reading of a form whose dates may always be wide (`core/sitemap/wide-dates.ts`). */
export function readingOf({ timezone, dates, baseUrl }: Dialect): Reading {
  return {
    ...WIDE_READING,
    ...(dates !== undefined && { dates }),
    ...(timezone !== undefined && { timezone }),
    ...(baseUrl !== undefined && { baseUrl }),
  };
}

/** Returns the reading of a list of URLs. Such a list has no dates. */
export function readingOfText({ baseUrl }: Dialect): Reading | undefined {
  return baseUrl === undefined ? undefined : { dates: 'w3c', baseUrl };
}

/**
 * Returns the reading of JSON. The dates of a document are those of docs/FORMAT.md, unless the query says otherwise. An array without a
 * document around it comes from a tool, so its dates may be wide.
 */
export function readingOfJson(dialect: Dialect, isArray: boolean): Reading | undefined {
  const { dates, timezone } = dialect;
  return isArray || dates !== undefined || timezone !== undefined
    ? readingOf(dialect)
    : readingOfText(dialect);
}
