/** Describes the forms, the members and the query of an upload. `features/uploads/upload-members.ts` reads the members. */
import { z } from 'zod';
import { entrySchema } from '../../core/sitemap/entry.ts';
import { DATE_SPELLINGS } from '../../core/sitemap/reading.ts';
import { DELIMITERS, type dialectSchemas } from '../../features/uploads/forms/dialect.ts';
import { CONTENT_TYPES } from '../../features/uploads/forms/form.ts';
import { memberSchemas, parseMember } from '../../features/uploads/upload-members.ts';
import type { Content } from './operation.ts';
import { count, described, text } from './shapes.ts';

export const entryShape = entrySchema.meta({
  id: 'Entry',
  description: 'A URL. Unknown members are ignored. docs/FORMAT.md has every rule.',
});

export const UPLOAD_MEANINGS: Readonly<Record<keyof typeof memberSchemas, string>> = {
  domain: 'A hostname of your account, verified or not.',
  sitemapName: 'Name of the sitemap; without it, the unnamed one.',
  sizeLimit: 'Entries in a file, at most: 1,000, 10,000 or 50,000. The default is `standard`.',
  pingSearch: 'Search engines no longer accept pings. The default is false.',
  expectedUrlCount: 'Any other number of entries is refused.',
  onInvalid: 'What becomes of an upload with invalid entries. The default is `fail`.',
  maxRejected: 'How many entries may be rejected with `onInvalid=skip`. The default is 0.',
  maxRejectedPercent: 'How many percent of the entries may be rejected with `onInvalid=skip`.',
  placement:
    "Where entries go: `stable` leaves each in its file, `order` follows the list. The default is the domain's.",
  dryRun: 'Checks everything and publishes nothing.',
  force: "Publishes in spite of the domain's guard.",
  ifGeneration: 'The generation of the sitemap that the upload may replace; 0: none.',
};

/** Gives each schema its meaning. All members of a document except `domain` become optional. */
export function describedMembers(
  schemas: Readonly<Record<string, z.ZodType>>,
  meanings: Readonly<Record<string, string>>,
): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const member = described(schema, meanings[name]!);
      return [name, name === 'domain' ? member : member.optional()];
    }),
  );
}

/** Adds the OpenAPI description to each schema, for members that are query parameters. A query has no null. */
export function describedQuery(
  schemas: Readonly<Record<string, z.ZodType>>,
  meanings: Readonly<Record<string, string>>,
): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const notNull: z.ZodType = schema instanceof z.ZodNullable ? (schema.unwrap() as z.ZodType) : schema;
      return [name, described(notNull, meanings[name]!)];
    }),
  );
}

const someTexts = z.union([text, z.array(text)]);

/** The parameters that say in which dialect the body is written. docs/api.md has their rules. */
export const dialectQuery = {
  columns: described(
    text,
    'Which columns are which members: `loc:Address,lastmod:Last Modified`. Others are ignored.',
  ),
  where: described(
    someTexts,
    'A condition that entries must meet, as in `Status Code:200` or `Type:text/*`; may be repeated.',
  ),
  delimiter: described(z.enum(Object.keys(DELIMITERS)), 'What separates cells, if the header does not tell.'),
  header: described(
    z.enum(['true', 'false']),
    'Whether the first record has the names of columns. The default is true.',
  ),
  skipLines: described(z.int().min(0).max(100), 'How many lines before the header are skipped.'),
  escape: described(
    z.literal('backslash'),
    'A backslash stands before quotes, separators and letters like `t` in cells.',
  ),
  quote: described(z.literal('none'), 'Quotes are characters like any other, and protect nothing.'),
  decimal: described(z.enum(['point', 'comma']), 'The sign in numbers. The default is `point`.'),
  null: described(someTexts, 'A text that means that a value is absent; may be repeated.'),
  charset: described(
    z.enum(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-15']),
    'The encoding of the text. A byte order mark tells UTF-16 by itself.',
  ),
  baseUrl: described(text, 'Stands before URLs that are paths.'),
  timezone: described(
    text,
    'The zone of times without one: UTC, an offset like +02:00, or a zone like Europe/Berlin.',
  ),
  dates: described(
    z.enum(DATE_SPELLINGS),
    'How dates are written, if `iso` does not say it all: with the day or the month first, or as numbers.',
  ),
} satisfies Record<keyof typeof dialectSchemas, z.ZodType>;

export const dialectShape = z
  .object({
    delimiter: described(z.enum(Object.keys(DELIMITERS)), 'Between the cells of CSV.').optional(),
    charset: described(text, 'Unless it is UTF-8.').optional(),
    columns: described(
      z.array(z.object({ member: text, name: text })),
      'The columns that were read, and as which member of an entry; the first 50.',
    ).optional(),
    ignored: described(z.array(text), 'The names of the first 10 ignored columns.').optional(),
    ignoredCount: count.optional(),
    filtered: described(count, 'Records that `where` left out.').optional(),
    dates: text.optional(),
    timezone: text.optional(),
    zoned: described(count, 'Times that got their zone from `timezone`.').optional(),
  })
  .meta({ id: 'Dialect' });

export const uploadQuery = { ...describedQuery(memberSchemas, UPLOAD_MEANINGS), ...dialectQuery };

const lines = (what: string, example: string): Content => ({ schema: described(text, what), example });

/** The forms of an upload's body, by media type. */
export const uploadForms: Readonly<Record<string, Content>> = {
  [CONTENT_TYPES.json]: {
    schema: z
      .strictObject({
        ...describedMembers(memberSchemas, UPLOAD_MEANINGS),
        urls: described(z.array(entryShape).min(1), 'The entries.'),
      })
      .meta({ id: 'Upload' }),
    example: {
      domain: 'sitemaps.example.com',
      sitemapName: 'products',
      urls: [{ loc: 'https://www.example.com/a', lastmod: '2026-01-15', priority: 0.8 }],
    },
  },
  [CONTENT_TYPES.ndjson]: lines(
    'An entry in each line, as in the elements of `urls`.',
    '{"loc":"https://www.example.com/a","lastmod":"2026-01-15"}\n{"loc":"https://www.example.com/b"}\n',
  ),
  [CONTENT_TYPES.csv]: lines(
    'A line of column names, then an entry in each record (RFC 4180).',
    'loc,lastmod,priority\nhttps://www.example.com/a,2026-01-15,0.8\n',
  ),
  [CONTENT_TYPES.text]: lines(
    'A URL in each line.',
    'https://www.example.com/a\nhttps://www.example.com/b\n',
  ),
  [CONTENT_TYPES.xml]: lines(
    'An existing sitemap.',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://www.example.com/a</loc></url></urlset>',
  ),
  [CONTENT_TYPES.parquet]: lines(
    'An Apache Parquet file: bytes, which begin and end in PAR1. Its columns are those of CSV.',
    'PAR1…PAR1',
  ),
};

/** The header fields of a body that may be compressed. */
export const encodingHeader = {
  'Content-Encoding': described(z.enum(['gzip', 'zstd', 'br']), 'How the body is compressed.'),
};

/** The optional member `ifGeneration` of rollbacks, and of publications of held uploads. */
export const replaces = described(memberSchemas.ifGeneration, UPLOAD_MEANINGS.ifGeneration).optional();

/** Parses `ifGeneration`. Throws Refusal VALIDATION_ERROR. */
export function parseIfGeneration(members: ReadonlyMap<string, unknown>): number | undefined {
  return parseMember('ifGeneration', members.get('ifGeneration') ?? null) ?? undefined;
}
