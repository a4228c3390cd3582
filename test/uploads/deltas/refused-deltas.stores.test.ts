/** The refusals of a delta. After a refusal, nothing has changed. */
import { beforeEach, expect, test } from 'vitest';
import type { Domain } from '../../../src/features/domains/domain.ts';
import { GuardRefusal } from '../../../src/features/uploads/guard.ts';
import { Refusal } from '../../../src/platform/refusal.ts';
import { addAccount, addServedDomain } from '../../support/accounts.ts';
import { plainEntries } from '../batches.ts';
import { createUploadFixture } from '../upload-fixture.ts';

const fixture = await createUploadFixture({ seesUnchanged: true, placement: 'stable' });
const { database } = fixture;
const account = await addAccount(database);
const LIST = plainEntries(2000);
const URLS = LIST.map(({ loc }) => loc);

let domain: Domain;
beforeEach(async () => {
  domain = await addServedDomain(database, account);
  await fixture.upload(account, { domain: domain.hostname, urls: LIST });
});

const live = async () =>
  (await database.query('SELECT upload_id FROM sitemaps WHERE domain_id = $1', [domain.id])).rows;

async function refusalOf(
  body: string | object,
  changed: Parameters<typeof fixture.delta>[2] = {},
): Promise<Refusal> {
  const before = await live();
  const full = typeof body === 'string' ? body : { domain: domain.hostname, ...body };
  const query = typeof body === 'string' ? { domain: domain.hostname } : {};
  const error = await fixture.delta(account, full, { query, ...changed }).then(
    () => undefined,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(Refusal);
  expect(await live()).toEqual(before);
  return error;
}

const BAD = { loc: 'ftp://www.example.com/' };
const GOOD = { loc: 'https://www.example.com/good' };

test.each<[string, object, string, object]>([
  ['no operation', {}, 'VALIDATION_ERROR', { field: 'upsert' }],
  ['empty lists', { upsert: [], remove: [] }, 'VALIDATION_ERROR', { field: 'upsert' }],
  ['an unknown member', { upsert: [GOOD], urls: [GOOD] }, 'VALIDATION_ERROR', { field: 'urls' }],
  ['a list that is none', { upsert: GOOD }, 'VALIDATION_ERROR', { field: 'upsert' }],
  [
    'an invalid entry',
    { upsert: [GOOD, BAD] },
    'VALIDATION_ERROR',
    { field: 'upsert[1].loc', value: BAD.loc },
  ],
  ['an invalid URL to remove', { remove: [URLS[0], BAD.loc] }, 'VALIDATION_ERROR', { field: 'remove[1]' }],
  ['an entry to remove', { remove: [GOOD] }, 'VALIDATION_ERROR', { field: 'remove[0]' }],
  ['a URL in both lists', { upsert: [GOOD], remove: [GOOD.loc] }, 'VALIDATION_ERROR', { field: 'remove[0]' }],
  [
    'another generation',
    { upsert: [GOOD], ifGeneration: 7 },
    'CONFLICT',
    { field: 'ifGeneration', generation: 1 },
  ],
  [
    'an onMissing that is none',
    { remove: [GOOD.loc], onMissing: 'x' },
    'VALIDATION_ERROR',
    { field: 'onMissing' },
  ],
  [
    'missing URLs',
    { remove: [URLS[0], GOOD.loc], onMissing: 'fail' },
    'CONFLICT',
    { field: 'remove', missing: 1, samples: [GOOD.loc] },
  ],
  ['an unknown sitemap', { sitemapName: 'none', upsert: [GOOD] }, 'NOT_FOUND', {}],
  ['no URL left', { remove: URLS, force: true }, 'VALIDATION_ERROR', { field: 'remove' }],
])('%s', async (_, body, code, details) => {
  const { code: found, options } = await refusalOf(body);
  expect({ code: found, details: { ...options.details } }).toMatchObject({ code, details });
});

test.each([
  ['{"upsert":{"loc":"https://www.example.com/a"}}\n\n{"upsert":{"loc":5}}\n', 'line 3, upsert.loc: '],
  ['{"remove":"https://www.example.com/a"}\n{"remove":"nowhere"}\n', 'line 2, remove: '],
  [
    '{"upsert":{"loc":"https://www.example.com/a"},"remove":"https://www.example.com/b"}\n',
    'line 1: must be',
  ],
  ['["https://www.example.com/a"]\n', 'line 1: must be'],
  ['null\n', 'line 1: must be'],
])('%#: a fault is named by its line', async (lines, beginning) => {
  const refusal = await refusalOf(lines);
  expect(refusal.code).toBe('VALIDATION_ERROR');
  expect(refusal.message.slice(0, beginning.length)).toBe(beginning);
});

test.each([
  ['{"upsert":{"loc":"https://www.example.com/a"}}\n{"upsert"\n', 'line 2'],
  ['{"upsert":{"loc":"https://www.example.com/a"},"upsert":{"loc":"https://www.example.com/b"}}\n', 'line 1'],
  ['{"remove":"https://www.example.com/a","remove":"https://www.example.com/b"}\n', 'line 1, remove'],
  ['{ "upsert": {"loc":"https://a.example/"}, "upsert": {"loc":"https://b.example/"} }\n', 'line 1'],
  ['  {"upsert"', 'line 1'],
  ['{\n  "remove": "https://www.example.com/a"\n}\n', 'write each object in one line, as jq -c does'],
  ['{"remove":"https://www.example.com/a"}{"remove":"https://www.example.com/b"}\n', 'put each on a line'],
  ['{"upsert":{"loc":"https://www.example.com/a","priority":NaN}}\n', 'NaN'],
  [
    '{"remove":"https://www.example.com/a"}\n\ufeff{"remove":"https://www.example.com/b"}\n',
    'byte order mark',
  ],
  [`{ "upsert":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'line 1 is nested too deep'],
])('%#: a line that is no JSON is malformed', async (lines, named) => {
  const refusal = await refusalOf(lines);
  expect(refusal.code).toBe('BAD_REQUEST');
  expect(refusal.message).toContain(named);
});

test('a number is judged as it was sent, however its line begins', async () => {
  const entry = '{"loc":"https://www.example.com/a","priority":1e400}';
  for (const line of [`{"upsert":${entry}}`, `{ "upsert" : ${entry} }`, `{"\\u0075psert":${entry}}`]) {
    const { options } = await refusalOf(`${line}\n`);
    expect(options.details).toMatchObject({ field: 'upsert.priority', value: 'Infinity', line: 1 });
  }
});

test('dates are read as in an upload of the form', async () => {
  const lastmod = '2026-01-15 10:00:00.123+00';
  const document = { upsert: [{ ...GOOD, lastmod }] };
  const { options } = await refusalOf(document);
  expect(options.details).toMatchObject({ field: 'upsert[0].lastmod' });
  const lines = `${JSON.stringify({ upsert: { ...GOOD, lastmod } })}\n`;
  const query = { domain: domain.hostname };
  expect(await fixture.delta(account, lines, { query })).toMatchObject({ counts: { added: 1 } });
  const zoned = { domain: domain.hostname, upsert: [{ ...GOOD, lastmod: '2026-01-15 10:00:00.123' }] };
  const read = fixture.delta(account, zoned, { query: { timezone: 'UTC' } });
  expect(await read).toMatchObject({ counts: { unchanged: 0, changed: 1 } });
});

test('more operations than fit into a delta', async () => {
  const lines = `{"remove":"https://www.example.com/a"}\n`.repeat(100_001);
  const { options } = await refusalOf(lines);
  expect(options.details).toMatchObject({ limit: 100_000 });
});

test('operations whose XML needs too much memory', async () => {
  const title = "'".repeat(2000);
  const image = { loc: GOOD.loc, title, caption: title };
  const upsert = URLS.slice(0, 1900).map((loc) => ({ loc, images: [image, image] }));
  const { code } = await refusalOf({ upsert });
  expect(code).toBe('PAYLOAD_TOO_LARGE');
  // The memory is free again.
  const body = { domain: domain.hostname, upsert: upsert.slice(0, 900) };
  expect(await fixture.delta(account, body)).toMatchObject({ counts: { changed: 900 } });
  expect(await fixture.delta(account, body)).toMatchObject({ counts: { unchanged: 900 } });
});

test('more URLs than the plan has, but never fewer', async () => {
  const allowance = { urlsPerUpload: 1999 };
  const { message } = await refusalOf({ upsert: [GOOD] }, { allowance });
  expect(message).toContain('the plan allows 1,999');
  // An account whose plan has become smaller can still remove and change.
  const body = { domain: domain.hostname, remove: [URLS[0]], upsert: [{ loc: URLS[1], priority: 0.1 }] };
  expect(await fixture.delta(account, body, { allowance })).toMatchObject({ urlCount: 1999 });
});

test('the guard of the domain, and force', async () => {
  await database.query('UPDATE domains SET max_removed_percent = 10 WHERE id = $1', [domain.id]);
  const remove = URLS.slice(0, 500);
  expect(await refusalOf({ remove })).toBeInstanceOf(GuardRefusal);
  // A refused delta is not held, because the client can send the rows again.
  expect((await database.query('SELECT FROM held_uploads')).rowCount).toBe(0);
  const forced = await fixture.delta(account, { domain: domain.hostname, remove, force: true });
  expect(forced).toMatchObject({ urlCount: 1500, generation: 2 });
});

test('a dry run says what would change, and changes nothing', async () => {
  const before = await live();
  const body = { domain: domain.hostname, remove: [URLS[0]], upsert: [GOOD], dryRun: true };
  expect(await fixture.delta(account, body)).toMatchObject({
    dryRun: true,
    counts: { added: 1, removed: 1 },
    urlCount: 2000,
    filesChanged: 1,
  });
  expect(await live()).toEqual(before);
});
