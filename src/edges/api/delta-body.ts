/** Describes the members of a delta and of its query. `features/uploads/deltas/delta-members.ts` reads them. */
import { z } from 'zod';
import { deltaMemberSchemas } from '../../features/uploads/deltas/delta-members.ts';
import { CONTENT_TYPES } from '../../features/uploads/forms/form.ts';
import type { Content } from './operation.ts';
import { described, text } from './shapes.ts';
import { describedMembers, describedQuery, dialectQuery, entryShape } from './upload-body.ts';

const MEANINGS: Readonly<Record<keyof typeof deltaMemberSchemas, string>> = {
  domain: 'A hostname of your account, verified or not.',
  sitemapName: 'Name of the sitemap, which must exist; without it, the unnamed one.',
  ifGeneration: 'The generation of the sitemap that the delta may change.',
  force: "Publishes in spite of the domain's guard.",
  dryRun: 'Tells what would change and publishes nothing.',
  onMissing:
    'What becomes of a delta that removes URLs which the sitemap does not have. The default is `ignore`.',
};

const { timezone, dates, charset } = dialectQuery;
export const deltaQuery = { ...describedQuery(deltaMemberSchemas, MEANINGS), timezone, dates, charset };

/** The forms of a delta's body, by media type. */
export const deltaForms: Readonly<Record<string, Content>> = {
  [CONTENT_TYPES.json]: {
    schema: z
      .strictObject({
        ...describedMembers(deltaMemberSchemas, MEANINGS),
        upsert: described(
          z.array(entryShape),
          'Entries to have: each is added, or replaces the entry of its `loc` as a whole.',
        ).optional(),
        remove: described(z.array(text), 'URLs to remove.').optional(),
      })
      .meta({ id: 'Delta' }),
    example: {
      domain: 'sitemaps.example.com',
      sitemapName: 'products',
      upsert: [{ loc: 'https://www.example.com/a', lastmod: '2026-01-16' }],
      remove: ['https://www.example.com/b'],
    },
  },
  [CONTENT_TYPES.ndjson]: {
    schema: described(text, 'An operation in each line. The last one on a URL counts.'),
    example:
      '{"upsert":{"loc":"https://www.example.com/a","lastmod":"2026-01-16"}}\n{"remove":"https://www.example.com/b"}\n',
  },
};
