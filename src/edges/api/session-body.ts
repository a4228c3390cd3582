/** Describes the bodies of upload sessions, and reads the body of a new session. */
import { z } from 'zod';
import { DEFAULT_SITEMAP } from '../../core/sitemap/file-names.ts';
import { CONTENT_TYPES } from '../../features/uploads/forms/form.ts';
import { commitSchemas, namedPartSchema } from '../../features/uploads/sessions/read-commit.ts';
import type { SessionTerms } from '../../features/uploads/sessions/session.ts';
import { memberSchemas, parseMember } from '../../features/uploads/upload-members.ts';
import { invalidField } from '../../platform/refusal.ts';
import type { Content } from './operation.ts';
import { count, described, JSON_TYPE, jsonBody, text } from './shapes.ts';
import { describedMembers, entryShape, UPLOAD_MEANINGS, uploadForms } from './upload-body.ts';

const { domain, sitemapName, sizeLimit, onInvalid, maxRejected, maxRejectedPercent } = memberSchemas;
const { expectedUrlCount, placement } = memberSchemas;

export const sessionBody = jsonBody(
  z.strictObject(
    describedMembers(
      {
        domain,
        sitemapName,
        sizeLimit,
        onInvalid,
        maxRejected,
        maxRejectedPercent,
        expectedUrlCount,
        placement,
      },
      { ...UPLOAD_MEANINGS, expectedUrlCount: 'A commit of any other number of entries is refused.' },
    ),
  ),
  { domain: 'sitemaps.example.com', sitemapName: 'products' },
);

export const partMembers = {
  part: described(z.int().min(1), 'The number of the part.'),
  digest: described(
    text,
    'Of its files. The commit names it. Parts with the same entries in the same form have the same.',
  ),
  urlCount: described(count, 'Entries of the part.'),
  rejected: described(count, 'Entries that were rejected.'),
  bytes: described(count, 'Of its files, compressed.'),
};

export const PART_EXAMPLE = {
  part: 17,
  digest: 'fE0gTi5s4m1oq3mC5m0b1w',
  urlCount: 480_211,
  rejected: 0,
  bytes: 5_400_213,
};

export const partForms: Readonly<Record<string, Content>> = {
  ...uploadForms,
  [CONTENT_TYPES.json]: {
    schema: z.union([
      z.strictObject({ urls: described(z.array(entryShape), 'The entries.') }).meta({ id: 'Part' }),
      described(z.array(entryShape), 'The entries alone.'),
    ]),
    example: { urls: [{ loc: 'https://www.example.com/a', lastmod: '2026-01-15' }] },
  },
};

const MEANINGS = {
  partCount: 'In place of `parts`: the number of all parts of the session.',
  urlCount: 'Beside `partCount`: the sum of `urlCount` of all parts.',
  ifGeneration: UPLOAD_MEANINGS.ifGeneration,
  force: UPLOAD_MEANINGS.force,
  dryRun: UPLOAD_MEANINGS.dryRun,
} satisfies Record<keyof typeof commitSchemas, string>;

export const commitBody = {
  content: {
    [JSON_TYPE]: {
      schema: z.strictObject({
        parts: described(
          z.array(namedPartSchema).min(1),
          'The parts to publish, with their digests.',
        ).optional(),
        ...describedMembers(commitSchemas, MEANINGS),
      }),
      example: { parts: [{ part: 1, digest: 'fE0gTi5s4m1oq3mC5m0b1w' }] },
    },
  },
};

/** Parses the members that a session and a load have in common. Throws Refusal. */
export function parseSession(members: ReadonlyMap<string, unknown>) {
  const take = <Name extends keyof typeof memberSchemas>(name: Name) =>
    parseMember(name, members.get(name) ?? null);
  const hostname = members.get('domain');
  if (hostname === undefined) throw invalidField('domain', undefined, 'is required');
  const maxRejected = take('maxRejected');
  const maxRejectedPercent = take('maxRejectedPercent');
  const terms = {
    sizeLimit: take('sizeLimit') ?? 'standard',
    onInvalid: take('onInvalid') ?? 'fail',
    // If the client gives no threshold, no entry may be rejected.
    maxRejected: maxRejected ?? (maxRejectedPercent === null ? 0 : null),
    maxRejectedPercent,
    expectedUrlCount: take('expectedUrlCount'),
    placement: take('placement'),
  } satisfies SessionTerms;
  return {
    hostname: parseMember('domain', hostname),
    sitemapName: take('sitemapName') ?? DEFAULT_SITEMAP,
    terms,
  };
}
