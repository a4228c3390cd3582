/** Uploads, in the API's description. */
import { z } from 'zod';
import { entrySchema } from '../../sitemap/entry.ts';
import { CONTENT_TYPES } from '../../uploads/forms/form.ts';
import { memberSchemas } from '../../uploads/upload-members.ts';
import type { Content, Operation } from './operation.ts';
import { answered, count, described, id, text, time } from './shapes.ts';

const entry = entrySchema.meta({
  id: 'Entry',
  description: 'A URL. Unknown members are ignored. docs/FORMAT.md has every rule.',
});

const MEANINGS: Readonly<Record<keyof typeof memberSchemas, string>> = {
  domain: 'A hostname of your account, verified or not.',
  sitemapName: 'Name of the sitemap; without it, the unnamed one.',
  sizeLimit: 'Entries in a file, at most: 1,000, 10,000 or 50,000. The default is `standard`.',
  pingSearch: 'Search engines no longer accept pings. The default is false.',
  expectedUrlCount: 'Any other number of entries is refused.',
  onInvalid: 'What becomes of an upload with invalid entries. The default is `fail`.',
  maxRejected: 'How many entries may be rejected with `onInvalid=skip`. The default is 0.',
  maxRejectedPercent: 'How many percent of the entries may be rejected with `onInvalid=skip`.',
  dryRun: 'Checks everything and publishes nothing.',
  force: "Publishes in spite of the domain's guard.",
  ifGeneration: 'The generation of the sitemap that the upload may replace; 0: none.',
};

const members = Object.fromEntries(
  Object.entries(memberSchemas).map(([name, schema]) => {
    const member = described<z.ZodType>(schema, MEANINGS[name as keyof typeof MEANINGS]);
    return [name, name === 'domain' ? member : member.optional()];
  }),
);

/** The query has no null. */
const query = Object.fromEntries(
  Object.entries(memberSchemas).map(([name, schema]) => {
    const notNull: z.ZodType = schema instanceof z.ZodNullable ? (schema.unwrap() as z.ZodType) : schema;
    return [name, described(notNull, MEANINGS[name as keyof typeof MEANINGS])];
  }),
);

const lines = (what: string, example: string): Content => ({ schema: described(text, what), example });

const forms: Readonly<Record<string, Content>> = {
  [CONTENT_TYPES.json]: {
    schema: z
      .strictObject({ ...members, urls: described(z.array(entry).min(1), 'The entries.') })
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
};

const uploaded = z
  .object({
    domain: described(text, 'The hostname.'),
    sitemapName: described(text, 'Absent for the unnamed sitemap.').optional(),
    uploadId: id('upload'),
    generation: described(count, 'Of the sitemap; absent for a dry run.').optional(),
    dryRun: described(z.literal(true), 'Nothing was published.').optional(),
    urlCount: described(count, 'Entries of this upload.'),
    filesGenerated: described(count, 'Files with URLs; indexes are not counted.'),
    rejected: described(count, 'Entries that were rejected.').optional(),
    rejectsUrl: described(text, 'A path with the rejected entries, if there are any.').optional(),
    sitemapUrl: described(text, 'Address of the sitemap, for search engines.'),
    indexUrl: described(
      text,
      'Address of the index of the domain; with several files, or a name.',
    ).optional(),
    served: described(z.boolean(), 'Whether crawlers can fetch it now.').optional(),
    servedNote: described(text, 'Why it is not served, and what to do.').optional(),
    indexNow: z
      .object({ status: z.enum(['pending', 'skipped', 'success', 'failed']), urlsSubmitted: count })
      .optional(),
    warnings: described(z.array(text), 'For people: page hosts that do not name your sitemaps.').optional(),
    searchPing: z.object({ status: z.enum(['skipped', 'success', 'failed']), pingedAt: time }).optional(),
  })
  .meta({ id: 'Uploaded' });

/** Of uploads that are published later, and of rollbacks. */
export const replaces = described(memberSchemas.ifGeneration, MEANINGS.ifGeneration).optional();

/** The answer to an upload, and to what ends like one. */
export const uploadAnswers = answered(200, 'The sitemap is stored.', uploaded, {
  domain: 'sitemaps.example.com',
  sitemapName: 'products',
  uploadId: 'upload_2c4v8PXeY16He1Yn79PlDs',
  generation: 7,
  urlCount: 25_000,
  filesGenerated: 3,
  sitemapUrl: 'https://sitemaps.example.com/sitemap-products.xml',
  indexUrl: 'https://sitemaps.example.com/sitemap-index.xml',
  served: true,
});

export const uploadOperations: readonly Operation[] = [
  {
    id: 'uploadSitemap',
    method: 'post',
    path: '/api/sitemap/generate',
    tag: 'Uploads',
    summary: 'Uploads a list of URLs',
    description:
      'Replaces the sitemap of its name as a whole, or changes nothing. In JSON, the members stand in the body or in ' +
      'the query, not in both. In the other forms they stand in the query, and `domain` is required there.',
    query,
    headers: {
      'Content-Encoding': described(z.enum(['gzip', 'zstd', 'br']), 'How the body is compressed.'),
    },
    body: { description: 'The entries, in one of five forms.', content: forms },
    answers: uploadAnswers,
    errors: {
      UNAUTHORIZED: 'Also if the key was revoked, or has expired, during the upload.',
      NOT_FOUND: 'The hostname is not registered for your account.',
      CONFLICT: 'Or the guard of the domain holds the upload, or `ifGeneration` differs.',
      VALIDATION_ERROR:
        'Or an entry breaks a rule: `errors` has up to 100 violations. Or the plan has no room.',
      RATE_LIMIT_EXCEEDED: 'Or too many uploads are under way.',
      SERVICE_UNAVAILABLE: 'The process ends, and the body was not complete in time. Nothing was published.',
    },
  },
];
