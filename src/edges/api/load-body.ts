/** Describes and reads the request for a load. */
import { z } from 'zod';
import { dialectSchemas, isDialectName, parseDialect } from '../../features/uploads/forms/dialect.ts';
import { UPLOAD_FORMS } from '../../features/uploads/forms/form.ts';
import { isBucketAddress, parseBucketAddress } from '../../features/uploads/loads/bucket-address.ts';
import { type AskedLoad, MAX_SOURCES } from '../../features/uploads/loads/load.ts';
import { memberSchemas, parseMember } from '../../features/uploads/upload-members.ts';
import { invalidField } from '../../platform/refusal.ts';
import { isStorable } from '../../platform/storable-text.ts';
import { jsonBody } from './shapes.ts';
import { describedMembers, dialectQuery, UPLOAD_MEANINGS } from './upload-body.ts';

/** The longest address of a source, in characters. A `loc` has the same limit. */
const MAX_URL_LENGTH = 2048;
const MAX_HOSTS = 100;

const { dryRun: _, pingSearch: __, ...ofUpload } = memberSchemas;

const ofLoad = {
  connection: z
    .string('must be the name of a connection')
    .max(32, 'must be at most 32 characters')
    .refine(isStorable, 'must be the name of a connection')
    .nullable(),
  ifChanged: z.boolean('must be true or false').nullable(),
  sources: z
    .array(
      z.string('must be addresses').max(MAX_URL_LENGTH, `must be at most ${MAX_URL_LENGTH} characters`),
      'must be an array of addresses',
    )
    .min(1, 'must name at least one address')
    .max(MAX_SOURCES, `must be at most ${MAX_SOURCES} addresses`),
  form: z.enum(UPLOAD_FORMS, `must be one of ${UPLOAD_FORMS.join(', ')}`).nullable(),
  onMissing: z.enum(['fail', 'skip'], 'must be one of fail, skip').nullable(),
  allowHosts: z
    .array(
      z
        .string('must be hostnames')
        .max(253, 'must be at most 253 characters')
        .refine(isStorable, 'must be hostnames'),
      'must be an array of hostnames',
    )
    .max(MAX_HOSTS, `must be at most ${MAX_HOSTS} hostnames`)
    .nullable(),
};

const MEANINGS: Readonly<Record<keyof typeof ofLoad, string>> = {
  sources:
    'Addresses of lists, sitemaps, sitemap indexes or a robots.txt, as in `https://www.example.com/robots.txt`; and of lists and sitemaps in ' +
    'buckets, as in `s3://bucket/urls/*.csv.gz`: `*` within a name, `**` across slashes. They are read in this order, those of a wildcard by ' +
    'the bytes of their keys.',
  connection: 'The connection that reads the buckets.',
  ifChanged:
    'Whether to read and publish nothing if all objects have the entity tags and lengths of those that the live upload was loaded from. ' +
    'The load then ends as `unchanged`. The children of a sitemap index are always read.',
  form: 'The form of all lists. Without it, each says by its name, its Content-Type or its beginning what it is.',
  onMissing:
    'What becomes of a source that is not there, or is a page of HTML: the load fails, or leaves it out and counts it. The default is `fail`.',
  allowHosts: 'Hosts of other domains whose sitemaps an index may list.',
};

export const loadShape = z.strictObject({
  ...describedMembers(ofUpload, {
    ...UPLOAD_MEANINGS,
    expectedUrlCount: 'A load of any other number of entries is refused.',
  }),
  ...describedMembers(ofLoad, MEANINGS),
  sources: ofLoad.sources.describe(MEANINGS.sources),
  ...Object.fromEntries(Object.entries(dialectQuery).map(([name, schema]) => [name, schema.optional()])),
});

export const loadBody = jsonBody(loadShape, {
  domain: 'sitemaps.example.com',
  sources: ['https://www.example.com/sitemap_index.xml'],
});

/** Throws Refusal. */
export function parseLoad(members: ReadonlyMap<string, unknown>): AskedLoad {
  const take = <Name extends keyof typeof ofLoad>(name: Name): z.output<(typeof ofLoad)[Name]> | null => {
    const value = members.get(name) ?? null;
    if (value === null) return null;
    const parsed = ofLoad[name].safeParse(value);
    if (!parsed.success) throw invalidField(name, value, parsed.error.issues[0]!.message);
    return parsed.data as z.output<(typeof ofLoad)[Name]>;
  };
  const given = take('sources');
  if (given === null) throw invalidField('sources', undefined, 'is required');
  const sources = given.map(parseSource);
  const form = take('form');
  return {
    sources,
    connection: parseConnection(take('connection'), sources),
    ifChanged: take('ifChanged') ?? false,
    form,
    dialect: parseDialectMembers(members, form),
    onMissing: take('onMissing') ?? 'fail',
    allowHosts: (take('allowHosts') ?? []).map((host) => host.toLowerCase()),
    ifGeneration: parseMember('ifGeneration', members.get('ifGeneration') ?? null),
    force: parseMember('force', members.get('force') ?? null) ?? false,
  };
}

function parseConnection(connection: string | null, sources: readonly string[]): string | null {
  const inBucket = sources.some(isBucketAddress);
  if (inBucket && connection === null) {
    throw invalidField(
      'connection',
      undefined,
      'is required for sources in buckets; set one with PUT /api/connections/{name}',
    );
  }
  if (!inBucket && connection !== null) {
    throw invalidField('connection', connection, 'is for sources in buckets, as in s3://bucket/*.csv.gz');
  }
  return connection;
}

function parseSource(given: string): string {
  if (isBucketAddress(given)) {
    parseBucketAddress(given);
    return given;
  }
  const url = URL.parse(given);
  // The client for hosts of others refuses http:, unless the operator allows the address.
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw invalidField('sources', given, 'must be addresses that begin with https:// or s3://');
  }
  if (url.username !== '' || url.password !== '') {
    throw invalidField('sources', undefined, 'must be addresses without user and password');
  }
  url.hash = '';
  return url.href;
}

/** Parses the members of a dialect as query parameters are parsed. */
function parseDialectMembers(
  members: ReadonlyMap<string, unknown>,
  form: AskedLoad['form'],
): AskedLoad['dialect'] {
  const dialect: Record<string, unknown> = {};
  for (const [name, value] of members) {
    if (!isDialectName(name)) continue;
    dialect[name] = name === 'skipLines' ? lineCount(value) : value;
    const parsed = dialectSchemas[name].safeParse(dialect[name]);
    if (!parsed.success) throw invalidField(name, value, parsed.error.issues[0]!.message);
    if (![value].flat().every((text) => isStorable(String(text)))) {
      throw invalidField(name, value, 'must be valid text without U+0000');
    }
  }
  const [first] = Object.keys(dialect);
  if (first === undefined) return {};
  if (form === null) throw invalidField('form', undefined, `is required beside ${first}`);
  parseDialect(form, dialect);
  return dialect;
}

function lineCount(value: unknown): string {
  if (typeof value !== 'number') throw invalidField('skipLines', value, 'must be a whole number');
  return String(value);
}
