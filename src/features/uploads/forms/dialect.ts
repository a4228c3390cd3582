/** How the body of an upload is written, as its client says in the query. */
import { z } from 'zod';
import { DATE_SPELLINGS, type Reading, WIDE_READING } from '../../../core/sitemap/reading.ts';
import { invalidField } from '../../../platform/refusal.ts';
import { findTimeZone } from '../../../platform/time-zone.ts';
import type { UploadForm } from './form.ts';

/** The query parameters of a dialect. A text in a query has blanks in place of `+`. */
export const dialectSchemas = {
  timezone: z
    .string()
    .transform((text) => text.replace(/^ /, '+'))
    .refine(
      (name) => findTimeZone(name) !== undefined,
      'must be UTC, an offset like +02:00, or a zone like Europe/Berlin',
    ),
  dates: z.enum(DATE_SPELLINGS, `must be one of ${DATE_SPELLINGS.join(', ')}`),
};
type DialectName = keyof typeof dialectSchemas;

export type Dialect = { readonly [Name in DialectName]?: z.output<(typeof dialectSchemas)[Name]> };

/** The forms in which a parameter has a meaning. */
const FORMS_OF: Readonly<Record<DialectName, readonly UploadForm[]>> = {
  timezone: ['json', 'ndjson', 'csv', 'xml'],
  dates: ['json', 'ndjson', 'csv', 'xml'],
};

export function isDialectName(name: string): name is DialectName {
  return Object.hasOwn(dialectSchemas, name);
}

/** Parses the parameters of a dialect. Throws Refusal, also for one that has no meaning in the form. */
export function parseDialect(form: UploadForm, query: Readonly<Record<string, unknown>>): Dialect {
  const dialect: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(query)) {
    if (!isDialectName(name)) continue;
    if (Array.isArray(value)) throw invalidField(name, value, 'is given more than once');
    if (!FORMS_OF[name].includes(form)) throw invalidField(name, value, `has no meaning in the form ${form}`);
    const parsed = dialectSchemas[name].safeParse(value);
    if (!parsed.success) throw invalidField(name, value, parsed.error.issues[0]!.message);
    dialect[name] = parsed.data;
  }
  return dialect as Dialect;
}

/** The reading of a form that has wide dates always. */
export function readingOf({ timezone, dates }: Dialect): Reading {
  return {
    ...WIDE_READING,
    ...(dates !== undefined && { dates }),
    ...(timezone !== undefined && { timezone }),
  };
}

/**
 * The reading of JSON. The dates of a document are those of docs/FORMAT.md, unless the query says otherwise. An array without a document
 * around it comes from a tool.
 */
export function readingOfJson(dialect: Dialect, isArray: boolean): Reading | undefined {
  return isArray || Object.keys(dialect).length > 0 ? readingOf(dialect) : undefined;
}
