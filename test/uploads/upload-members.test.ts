import { expect, test } from 'vitest';
import { UploadMembers } from '../../src/features/uploads/upload-members.ts';
import type { DocumentPart } from '../../src/platform/json/json-document.ts';
import { Refusal } from '../../src/platform/refusal.ts';
import { collect } from '../support/collect.ts';
import { batchOf, plainEntries } from './batches.ts';

const DOMAIN = { id: 'domain_1', hostname: 'maps.example.com', placement: 'stable' as const };
const batch = batchOf(plainEntries(2));
const URLS: DocumentPart[] = [
  { kind: 'batch', name: 'urls', batch },
  { kind: 'array-end', name: 'urls', count: 2 },
];
const member = (name: string, value: unknown): DocumentPart => ({ kind: 'member', name, value });
const domain = member('domain', DOMAIN.hostname);

async function* asSource(parts: readonly DocumentPart[]): AsyncGenerator<DocumentPart> {
  yield* parts;
}

async function take(parts: readonly DocumentPart[]) {
  const members = new UploadMembers(async (hostname) => {
    if (hostname !== DOMAIN.hostname) throw new Refusal('NOT_FOUND', 'no such domain');
    return DOMAIN;
  });
  const batches = await collect(members.batchesOf(asSource(parts)));
  return { batches, ...members.complete() };
}

test('a missing member has its default', async () => {
  expect(await take([domain, ...URLS])).toEqual({
    batches: [batch],
    domain: DOMAIN,
    sitemapName: '',
    sizeLimit: 'standard',
    pingSearch: false,
    expectedUrlCount: undefined,
    force: false,
    ifGeneration: undefined,
  });
});

test('members are accepted before and after urls', async () => {
  const given = [
    member('sitemapName', 'blog'),
    member('sizeLimit', 'balanced'),
    member('pingSearch', true),
    domain,
  ];
  const expected = { sitemapName: 'blog', sizeLimit: 'balanced', pingSearch: true, domain: DOMAIN };
  expect(await take([...given, ...URLS])).toMatchObject(expected);
  expect(await take([...URLS, ...given])).toMatchObject(expected);
});

test('null counts as missing', async () => {
  const nulls = ['sitemapName', 'sizeLimit', 'pingSearch'].map((name) => member(name, null));
  expect(await take([domain, ...nulls, ...URLS])).toEqual(await take([domain, ...URLS]));
});

test.each<[string, unknown, DocumentPart[]]>([
  ['domain', null, URLS],
  ['urls', null, [domain]],
  ['urls', [], [domain, { kind: 'array-end', name: 'urls', count: 0 }]],
  ['urls', { a: 1 }, [domain, member('urls', { a: 1 })]],
  ['urls', null, [domain, member('urls', null)]],
  ['domain', 5, [member('domain', 5), ...URLS]],
  ['domain', null, [member('domain', null), ...URLS]],
  ['sitemapName', 'index', [domain, member('sitemapName', 'index'), ...URLS]],
  ['sitemapName', '', [domain, member('sitemapName', ''), ...URLS]],
  ['sitemapName', 7, [domain, member('sitemapName', 7), ...URLS]],
  ['urls', 'https://example.com/', [domain, member('urls', 'https://example.com/')]],
  ['sitemapName', 'default', [domain, member('sitemapName', 'default'), ...URLS]],
  ['sizeLimit', 'Standard', [domain, member('sizeLimit', 'Standard'), ...URLS]],
  ['sizeLimit', 1000, [domain, ...URLS, member('sizeLimit', 1000)]],
  ['pingSearch', 1, [domain, ...URLS, member('pingSearch', 1)]],
  ['sizeLimit', 'huge', [domain, member('sizeLimit', 'huge'), ...URLS]],
  ['pingSearch', 'yes', [domain, member('pingSearch', 'yes'), ...URLS]],
])('%s %j is refused by name and value', async (field, value, parts) => {
  await expect(take(parts)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    options: { details: { field, value } },
  });
});

test("a domain that is not the account's is refused at its place in the document", async () => {
  await expect(
    take([member('domain', 'other.example.com'), member('sizeLimit', 'huge')]),
  ).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});
