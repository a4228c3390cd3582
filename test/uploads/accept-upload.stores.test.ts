import { randomBytes, randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createReadUploadFile } from '../../src/features/sites/read-upload-file.ts';
import { siteKey, siteSchema, uploadPrefix } from '../../src/features/sites/site.ts';
import { deleteSitemap } from '../../src/features/uploads/delete-sitemap.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { Refusal } from '../../src/platform/refusal.ts';
import { readObject } from '../../src/platform/storage/object-storage.ts';
import { produced } from '../sitemap/produced-documents.ts';
import { readXml } from '../sitemap/read-xml.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { bulkyEntries, plainEntries } from './batches.ts';
import { createUploadFixture } from './upload-fixture.ts';

const fixture = await createUploadFixture();
const { database, storage, upload } = fixture;
const account = await addAccount(database);

async function filesOf(uploadId: string): Promise<Buffer[]> {
  const { rows } = await database.query('SELECT n FROM sitemap_files WHERE upload_id = $1 ORDER BY n', [
    uploadId,
  ]);
  const readFile = createReadUploadFile(fixture, [uploadId]);
  return Promise.all(rows.map(async ({ n }) => (await readFile(uploadId, n))!));
}

function locsIn(file: Buffer): string[] {
  return readXml(produced(gunzipSync(file).toString())).children.map((url) => url.children[0]!.text);
}

/** Everything that a failing upload must leave unchanged. */
async function everything() {
  const rows = async (table: string) => (await database.query(`SELECT * FROM ${table} ORDER BY 1, 2`)).rows;
  return {
    keys: await fixture.keys(),
    garbage: await fixture.garbage(),
    uploads: await rows('uploads'),
    sitemaps: await rows('sitemaps'),
    domains: await rows('domains'),
  };
}

test('every URL is in the files, in order, and the site names the upload', async () => {
  const { hostname, id } = await addVerifiedDomain(database, account);
  const urls = plainEntries(2500);
  const accepted = await upload(account, { domain: hostname, sizeLimit: 'gsc-optimized', urls });
  expect(accepted).toMatchObject({ domain: { id, hostname }, sitemapName: '', urlCount: 2500, fileCount: 3 });
  const files = await filesOf(accepted.uploadId);
  expect(files.map((file) => locsIn(file).length)).toEqual([1000, 1000, 500]);
  expect(files.flatMap(locsIn)).toEqual(urls.map(({ loc }) => loc));
  const site = siteSchema.parse(JSON.parse((await readObject(storage, siteKey(hostname)))!.toString()));
  expect(site.sitemaps).toMatchObject([{ name: '', uploadId: accepted.uploadId, files: 3 }]);
});

test('an account whose uploads wait for each other leaves connections to the others', async () => {
  const { hostname, id } = await addVerifiedDomain(database, account);
  const isHeld = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const holding = inTransaction(database, async (transaction) => {
    await transaction.query('SELECT FROM domains WHERE id = $1 FOR UPDATE', [id]);
    isHeld.resolve();
    await released.promise;
  });
  await isHeld.promise;
  const tried = Array.from({ length: database.options.max! + 5 }, () =>
    upload(account, { domain: hostname, dryRun: true, urls: plainEntries(1) }),
  );
  const other = await addAccount(database);
  const { hostname: free } = await addVerifiedDomain(database, other);
  await upload(other, { domain: free, dryRun: true, urls: plainEntries(1) });
  await upload(other, { domain: free, urls: plainEntries(1) });
  released.resolve();
  await holding;
  for (const { generation } of await Promise.all(tried)) expect(generation).toBe(1);
});

const FILE_KEY = /\/\d+\.xml\.gz$/;

test.each([
  ['the time of the one before it, which a clock ahead gave', '10 minutes', true],
  ['the time of now, after a clock that was far ahead', '3 hours', false],
] as const)('a publication has %s', async (_, ahead, isKept) => {
  const { id, hostname } = await addVerifiedDomain(database, account);
  const publish = async (urls: number) => {
    const { uploadId } = await upload(
      account,
      { domain: hostname, force: true, urls: plainEntries(urls) },
      { publishTime: undefined },
    );
    const { rows } = await database.query<{ at: Date }>(
      'SELECT published_at AS at FROM uploads WHERE id = $1',
      [uploadId],
    );
    const files = await database.query<{ at: Date }>(
      'SELECT last_modified AS at FROM sitemap_files WHERE upload_id = $1',
      [uploadId],
    );
    expect(files.rows).toEqual(rows);
    expect(rows[0]!.at.getMilliseconds()).toBe(0);
    return rows[0]!.at.getTime();
  };
  await publish(1);
  const { rows } = await database.query<{ at: Date }>(
    `UPDATE uploads SET published_at = published_at + $2::interval WHERE domain_id = $1 RETURNING published_at AS at`,
    [id, ahead],
  );
  const first = rows[0]!.at.getTime();
  // Crawlers with the time of the first one would not get the second one.
  if (isKept) expect(await publish(2)).toBe(first);
  else expect(await publish(2)).toBeLessThan(Date.now() + 60_000);
});

test('the order of the members changes no byte of the files', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  const others = { domain: hostname, sitemapName: 'blog', sizeLimit: 'gsc-optimized', pingSearch: true };
  const urls = [
    ...bulkyEntries(1500),
    { loc: 'https://example.com/i', images: [{ loc: 'https://example.com/i.png' }] },
  ];
  const early = await upload(account, { ...others, urls });
  const expected = await filesOf(early.uploadId);
  for (const body of [
    { urls, ...others },
    { sizeLimit: 'gsc-optimized', urls, domain: hostname, sitemapName: 'blog', pingSearch: true },
    {
      domain: hostname,
      urls,
      sitemapName: 'blog',
      pingSearch: true,
      sizeLimit: 'gsc-optimized',
    },
  ]) {
    const { uploadId, ...accepted } = await upload(account, body);
    expect(accepted).toMatchObject({ sitemapName: 'blog', urlCount: 1501, fileCount: 2, pingSearch: true });
    expect((await filesOf(uploadId)).every((file, i) => file.equals(expected[i]!))).toBe(true);
    const stored = await fixture.keys(uploadPrefix(uploadId));
    expect(stored.filter((key) => FILE_KEY.test(key))).toHaveLength(2);
  }
});

test('a late sizeLimit leaves nothing of the first cut', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  const before = await fixture.keys('uploads/');
  // No member has to follow `domain`, so files are first cut by the default. They are too large to be small files.
  const { uploadId } = await upload(account, {
    domain: hostname,
    urls: Array.from({ length: 1001 }, () => ({ loc: `https://example.com/${randomUUID()}` })),
    sizeLimit: 'gsc-optimized',
  });
  const added = (await fixture.keys('uploads/')).filter((key) => !before.includes(key));
  expect(added.every((key) => key.startsWith(uploadPrefix(uploadId)))).toBe(true);
  const uploads = new Set(added.map((key) => key.split('/')[1]));
  expect([...uploads]).toEqual([uploadId]);
});

describe('an upload that fails', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  const urls = bulkyEntries(1500);
  const text = JSON.stringify({ domain: hostname, sizeLimit: 'gsc-optimized', urls });

  test.each<[string, string | object, object]>([
    [
      'for its last entry',
      { domain: hostname, sizeLimit: 'gsc-optimized', urls: [...urls, { loc: 1 }] },
      { code: 'VALIDATION_ERROR', options: { details: { field: 'urls[1500].loc' } } },
    ],
    [
      'for a member behind urls',
      { domain: hostname, urls, sizeLimit: 5 },
      { code: 'VALIDATION_ERROR', options: { details: { field: 'sizeLimit' } } },
    ],
    ['for a domain behind urls', { urls, domain: 'other.example.com' }, { code: 'NOT_FOUND' }],
    [
      'for a domain that is missing',
      { urls },
      { code: 'VALIDATION_ERROR', options: { details: { field: 'domain' } } },
    ],
    ['because it is cut off', text.slice(0, -2), { code: 'BAD_REQUEST' }],
    ['because more follows it', `${text}x`, { code: 'BAD_REQUEST' }],
    [
      'for having no URLs',
      { domain: hostname, urls: [] },
      { code: 'VALIDATION_ERROR', options: { details: { field: 'urls' } } },
    ],
    [
      'for the budget',
      { domain: hostname, urls: plainEntries(200_001) },
      { code: 'VALIDATION_ERROR', options: { details: { field: 'urls' } } },
    ],
  ])('%s leaves everything unchanged', async (_, body, refusal) => {
    const before = await everything();
    await expect(upload(account, body)).rejects.toMatchObject(refusal);
    expect(await everything()).toEqual(before);
  });

  test('because of the store leaves everything unchanged, and leaves to the sweep the files that may still be stored', async () => {
    const { garbage, ...before } = await everything();
    let puts = 0;
    const putNew = async (...parameters: Parameters<typeof storage.putNew>) => {
      if (++puts === 2) throw new Error('disk full');
      return storage.putNew(...parameters);
    };
    const failing = Object.assign(Object.create(storage), {
      putNew,
      deleteMany: storage.deleteMany.bind(storage),
    });
    await expect(upload(account, text, { storage: failing })).rejects.toMatchObject({
      cause: { message: 'disk full' },
    });
    const { garbage: after, ...rest } = await everything();
    expect(rest).toEqual(before);
    expect(after.filter((prefix) => !garbage.includes(prefix))).toEqual([
      expect.stringMatching(/^uploads\//),
    ]);
  });

  test('because of the client leaves everything unchanged', async () => {
    const before = await everything();
    const bodies = { ...fixture.options, getDomain: () => Promise.reject(new Error('connection lost')) };
    await expect(upload(account, text, bodies)).rejects.toThrow('connection lost');
    expect(await everything()).toEqual(before);
  });

  test('because its domain was deleted meanwhile leaves nothing', async () => {
    const doomed = await addVerifiedDomain(database, account);
    const before = { keys: await fixture.keys(), garbage: await fixture.garbage() };
    const getDomain = async () => {
      await database.query('DELETE FROM domains WHERE id = $1', [doomed.id]);
      return doomed;
    };
    const attempt = upload(account, { urls, domain: doomed.hostname }, { getDomain });
    await expect(attempt).rejects.toBeInstanceOf(Refusal);
    await expect(attempt).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect({ keys: await fixture.keys(), garbage: await fixture.garbage() }).toEqual(before);
  });
});

describe('a second upload of a name', () => {
  const rowsOf = async (uploadId: string) =>
    (
      await database.query(
        'SELECT n, etag, last_modified FROM sitemap_files WHERE upload_id = $1 ORDER BY n',
        [uploadId],
      )
    ).rows;

  test('replaces the first, which becomes garbage; other names stay', async () => {
    const { hostname } = await addVerifiedDomain(database, account);
    const other = await upload(account, { domain: hostname, sitemapName: 'other', urls: plainEntries(1) });
    const first = await upload(account, { domain: hostname, urls: plainEntries(1) });
    const second = await upload(account, { domain: hostname, urls: plainEntries(2) });
    const { rows } = await database.query(
      'SELECT name, upload_id AS "uploadId" FROM sitemaps JOIN domains d ON d.id = domain_id WHERE hostname = $1 ORDER BY 1',
      [hostname],
    );
    expect(rows).toEqual([
      { name: '', uploadId: second.uploadId },
      { name: 'other', uploadId: other.uploadId },
    ]);
    const garbage = await fixture.garbage();
    expect(garbage).toContain(uploadPrefix(first.uploadId));
    expect(garbage).not.toContain(uploadPrefix(second.uploadId));
    expect(garbage).not.toContain(uploadPrefix(other.uploadId));
  });

  test('keeps the time of unchanged files', async () => {
    const { hostname } = await addVerifiedDomain(database, account);
    const base = { domain: hostname, sizeLimit: 'gsc-optimized' };
    fixture.clock.now = new Date('2026-02-01T00:00:00Z');
    const first = await upload(account, { ...base, urls: plainEntries(2500) });
    fixture.clock.now = new Date('2026-02-02T00:00:00Z');
    const urls = plainEntries(2500).map((entry, i) =>
      i === 1500 ? { loc: 'https://example.com/new' } : entry,
    );
    const second = await upload(account, { ...base, urls });
    const [before, after] = [await rowsOf(first.uploadId), await rowsOf(second.uploadId)];
    expect(after.map(({ etag }, i) => etag === before[i].etag)).toEqual([true, false, true]);
    expect(after.map((row) => row.last_modified.toISOString())).toEqual([
      '2026-02-01T00:00:00.000Z',
      '2026-02-02T00:00:00.000Z',
      '2026-02-01T00:00:00.000Z',
    ]);
  });
});

describe('the allowance of the plan', () => {
  const storedBytes = async (accountId: string) =>
    (
      await database.query<{ hostname: string; bytes: number }>(
        'SELECT hostname, stored_bytes AS bytes FROM domains WHERE account_id = $1 ORDER BY position',
        [accountId],
      )
    ).rows.map(({ bytes }) => bytes);
  const gzipBytes = async (uploadId: string) =>
    (await filesOf(uploadId)).reduce((sum, file) => sum + file.length, 0);
  /** Hardly compresses. */
  const noise = (count: number) =>
    Array.from({ length: count }, () => ({ loc: `https://example.com/${randomBytes(500).toString('hex')}` }));

  test('counts live uploads over all domains', async () => {
    const owner = await addAccount(database);
    const [one, two] = [await addVerifiedDomain(database, owner), await addVerifiedDomain(database, owner)];
    await upload(owner, { domain: one.hostname, urls: noise(10) });
    const a = await upload(owner, { domain: one.hostname, urls: noise(5) });
    const b = await upload(owner, { domain: one.hostname, sitemapName: 'b', urls: noise(6) });
    const c = await upload(owner, { domain: two.hostname, urls: noise(7) });
    const [ofA, ofB, ofC] = [
      await gzipBytes(a.uploadId),
      await gzipBytes(b.uploadId),
      await gzipBytes(c.uploadId),
    ];
    expect(await storedBytes(owner)).toEqual([ofA + ofB, ofC]);

    const urls = noise(8);
    const d = await upload(owner, { domain: two.hostname, sitemapName: 'd', urls });
    const room = ofA + ofB + ofC + (await gzipBytes(d.uploadId));
    // As large as the upload that it replaces.
    const again = { domain: two.hostname, sitemapName: 'd', urls };
    await upload(owner, again, { allowance: { storedBytes: room } });
    const before = await everything();
    const larger = { ...again, urls: [...urls, ...noise(1)] };
    await expect(upload(owner, larger, { allowance: { storedBytes: room } })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      options: { details: { field: 'urls', value: null, used: ofA + ofB + ofC, allowed: room } },
    });
    expect(await everything()).toEqual(before);

    await deleteSitemap(fixture.options, one, 'b');
    expect(await storedBytes(owner)).toEqual([ofA, room - ofA - ofB]);
    await upload(owner, larger, { allowance: { storedBytes: room } });
  });

  test('in bytes refuses an upload as soon as the upload alone exceeds it, and nothing more is stored', async () => {
    const owner = await addAccount(database);
    const { hostname } = await addVerifiedDomain(database, owner);
    const live = await upload(owner, { domain: hostname, sitemapName: 'live', urls: noise(3) });
    const used = await gzipBytes(live.uploadId);
    let puts = 0;
    const counting = Object.assign(Object.create(storage), {
      putNew: async (...parameters: Parameters<typeof storage.putNew>) => {
        puts++;
        await storage.putNew(...parameters);
      },
      deleteMany: storage.deleteMany.bind(storage),
    });
    // One file of some 500 kB per thousand entries.
    const body = { domain: hostname, sizeLimit: 'gsc-optimized', urls: noise(6000) };
    const attempt = upload(owner, body, { storage: counting, allowance: { storedBytes: 1_300_000 } });
    await expect(attempt).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      options: { details: { field: 'urls', value: null, used, allowed: 1_300_000 } },
    });
    expect(puts).toBe(2);
  });

  test('lets a sitemap pass that does not grow, also after the plan has become smaller', async () => {
    const owner = await addAccount(database);
    const { hostname } = await addVerifiedDomain(database, owner);
    const smaller = { allowance: { storedBytes: 15_000, sitemapsPerDomain: 1 } };
    const urls = noise(20);
    const put = (sitemapName: string, list: readonly object[], changed = {}) =>
      upload(owner, { domain: hostname, sitemapName, urls: list }, changed);
    await put('a', urls);
    await put('b', noise(20));
    expect(await put('a', urls.slice(0, 19), smaller)).toMatchObject({ urlCount: 19 });
    await expect(put('a', urls, smaller)).rejects.toMatchObject({
      options: { details: { field: 'urls', allowed: 15_000 } },
    });
    const delta = { domain: hostname, sitemapName: 'a', remove: [urls[0]!.loc] };
    expect(await fixture.delta(owner, delta, smaller)).toMatchObject({ urlCount: 18 });
    await expect(put('c', noise(1), smaller)).rejects.toMatchObject({
      options: { details: { field: 'sitemapName', used: 2, allowed: 1 } },
    });
  });

  test('in sitemaps per domain applies only to new ones', async () => {
    const owner = await addAccount(database);
    const [one, two] = [await addVerifiedDomain(database, owner), await addVerifiedDomain(database, owner)];
    const put = (hostname: string, sitemapName: string) =>
      upload(
        owner,
        { domain: hostname, sitemapName, urls: plainEntries(1) },
        { allowance: { sitemapsPerDomain: 2 } },
      );
    await put(one.hostname, 'a');
    await put(one.hostname, 'b');
    await expect(put(one.hostname, 'c')).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      options: { details: { field: 'sitemapName', value: null, used: 2, allowed: 2 } },
    });
    await put(one.hostname, 'b');
    await put(two.hostname, 'c');
  });

  test('holds for uploads to several domains at once', async () => {
    const owner = await addAccount(database);
    const domains = await Promise.all(Array.from({ length: 6 }, () => addVerifiedDomain(database, owner)));
    const urls = noise(20);
    const { uploadId } = await upload(owner, { domain: domains[0]!.hostname, urls });
    const bytes = await gzipBytes(uploadId);
    const answers = await Promise.allSettled(
      domains.map(({ hostname }) =>
        upload(owner, { domain: hostname, urls }, { allowance: { storedBytes: 3 * bytes } }),
      ),
    );
    expect((await storedBytes(owner)).toSorted()).toEqual([0, 0, 0, bytes, bytes, bytes]);
    expect(answers.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(3);
  });

  test('in files over all sitemaps of a domain is 50,000', async () => {
    const { id, hostname } = await addVerifiedDomain(database, account);
    await database.query(
      `INSERT INTO uploads (id, domain_id, sitemap_name, url_count, file_count, bytes, gzip_bytes)
       VALUES ('upload_many', $1, 'many', 49999, 49999, 1, 1)`,
      [id],
    );
    await database.query(
      "INSERT INTO sitemaps (domain_id, name, upload_id) VALUES ($1, 'many', 'upload_many')",
      [id],
    );
    const put = (sitemapName: string, urls: number) =>
      upload(
        account,
        { domain: hostname, sitemapName, sizeLimit: 'gsc-optimized', force: true, urls: plainEntries(urls) },
        { writeSite: async () => {} },
      );
    await expect(put('more', 1001)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      options: { details: { field: 'urls' } },
    });
    await put('more', 1000);
    await put('many', 1001);
  });
});

test('an upload whose key is revoked meanwhile is not published, and leaves nothing', async () => {
  const owner = await addAccount(database);
  const { hostname } = await addVerifiedDomain(database, owner);
  await upload(owner, { domain: hostname, urls: plainEntries(1) });
  const before = await everything();
  const getDomain: typeof fixture.options.getDomain = async (...parameters) => {
    await database.query('UPDATE api_keys SET revoked_at = now() WHERE account_id = $1', [owner]);
    return fixture.options.getDomain(...parameters);
  };
  const attempt = upload(owner, { domain: hostname, urls: plainEntries(2) }, { getDomain });
  await expect(attempt).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  expect(await everything()).toEqual(before);
});

test('parallel uploads of one name leave one live upload, and all others become garbage', async () => {
  const { hostname, id } = await addVerifiedDomain(database, account);
  const uploads = await Promise.all(
    Array.from({ length: 6 }, (_, n) => upload(account, { domain: hostname, urls: plainEntries(10 + n) })),
  );
  const { rows } = await database.query('SELECT upload_id AS "uploadId" FROM sitemaps WHERE domain_id = $1', [
    id,
  ]);
  expect(rows).toHaveLength(1);
  const replaced = uploads
    .map(({ uploadId }) => uploadId)
    .filter((uploadId) => uploadId !== rows[0].uploadId);
  expect(await fixture.garbage()).toEqual(expect.arrayContaining(replaced.map(uploadPrefix)));
  const site = JSON.parse((await readObject(storage, siteKey(hostname)))!.toString());
  expect(site.sitemaps).toMatchObject([{ uploadId: rows[0].uploadId }]);
});
