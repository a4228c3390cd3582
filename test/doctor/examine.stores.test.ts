import { hash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { renewNow } from '../../src/features/certificates/certificate-list-store.ts';
import { crawlsKey } from '../../src/features/crawls/crawl-object.ts';
import { examine } from '../../src/features/doctor/examine.ts';
import { certificateKey, challengeKey } from '../../src/features/sites/certificate.ts';
import type { WriteSiteOptions } from '../../src/features/sites/due-site.ts';
import { addGarbage } from '../../src/features/sites/garbage-store.ts';
import { outboxKey, outboxPrefix } from '../../src/features/sites/outbox.ts';
import { readSite } from '../../src/features/sites/read-site.ts';
import { rebuildSite } from '../../src/features/sites/rebuild-site.ts';
import { rejectsKey, rejectsPrefix } from '../../src/features/sites/rejects.ts';
import {
  changesKey,
  fileHashesKey,
  listingKey,
  type SectionSitemap,
  type Site,
  sectionKey,
  siteIndexKey,
  siteKey,
  uploadFileKey,
  uploadIndexKey,
  uploadPrefix,
} from '../../src/features/sites/site.ts';
import { writeSite } from '../../src/features/sites/write-site.ts';
import { type ObjectStorage, readObject } from '../../src/platform/storage/object-storage.ts';
import { addManyFiles } from '../sites/add-many-files.ts';
import { addAccount, addDomain, addServedDomain } from '../support/accounts.ts';
import { collect } from '../support/collect.ts';
import { plainEntries } from '../uploads/batches.ts';
import { createUploadFixture, DAY_MS } from '../uploads/upload-fixture.ts';

const fixture = await createUploadFixture();
const { database, storage } = fixture;
const account = await addAccount(database);
const options = { database, storage, publicOrigin: 'https://{hostname}', keepReplacedMs: DAY_MS };

/** Removes all jobs and changes, as if they were done. */
const settle = () => database.query('DELETE FROM graphile_worker._private_jobs; DELETE FROM site_changes');
const generationOf = async (hostname: string): Promise<number> =>
  (await database.query('SELECT generation FROM domains WHERE hostname = $1', [hostname])).rows[0].generation;

async function findings(hostname?: string, changed: Partial<typeof options> = {}) {
  const found = await collect(examine({ ...options, ...changed }, hostname));
  return found.map(({ problem, subject }) => `${problem} ${subject}`).sort();
}

/** URLs that are hard to compress, so files of some are not small. */
const hardEntries = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ loc: `https://www.example.com/${hash('sha256', String(n))}` }));

/** A site of so many files that the indexes and a listing are objects. */
async function publishMany() {
  const { hostname } = await addServedDomain(database, account);
  const { uploadId } = await fixture.upload(
    account,
    { domain: hostname, urls: plainEntries(2) },
    { writeSite: async () => {} },
  );
  await addManyFiles(database, uploadId);
  await fixture.writeSite(hostname);
  await settle();
  return { hostname, uploadId };
}

/** Changes the site.json in the store. */
async function editSite(hostname: string, edit: (site: Site) => void): Promise<void> {
  const site = (await readSite(storage, hostname))!;
  edit(site);
  await put(siteKey(hostname), JSON.stringify(site));
}

/** A site of two sitemaps, one of which has three files. */
async function publishSite() {
  const { hostname } = await addServedDomain(database, account);
  const urls = hardEntries(2500);
  const { uploadId } = await fixture.upload(account, { domain: hostname, sizeLimit: 'gsc-optimized', urls });
  const blog = { domain: hostname, sitemapName: 'blog', urls: plainEntries(5) };
  const { uploadId: blogId } = await fixture.upload(account, blog);
  await settle();
  return { hostname, uploadId, blogId, indexKey: siteIndexKey(hostname, await generationOf(hostname)) };
}
type Published = Awaited<ReturnType<typeof publishSite>>;
type Many = Awaited<ReturnType<typeof publishMany>> & { readonly indexKey: string };

beforeAll(async () => {
  // None of these may be a finding: an unverified domain, replaced and staged uploads, counts of crawls.
  await addDomain(database, account);
  const { hostname } = await publishSite();
  await fixture.upload(account, { domain: hostname, force: true, urls: plainEntries(3) });
  await addGarbage(database, ['uploads/staged/'], DAY_MS);
  await storage.put('uploads/staged/1.xml.gz', [Buffer.from('x')]);
  await storage.put(crawlsKey('2026-02-01', 'a', 1), [Buffer.from('x')]);
});
beforeEach(settle);

test('a consistent state has no findings', async () => {
  await publishSite();
  expect(await findings()).toEqual([]);
});

test('a pending domain of another account with the hostname of a site is no finding, and no rebuild shows it', async () => {
  const { hostname, uploadId, blogId } = await publishSite();
  const other = await addAccount(database);
  await addDomain(database, other, hostname);
  for (let n = 1; n <= 2; n++) await fixture.upload(other, { domain: hostname, urls: plainEntries(n) });
  await settle();
  const sitemaps = async () =>
    (await readSite(storage, hostname))?.sitemaps.map((one) => one.uploadId).sort();
  expect(await findings()).toEqual([]);
  expect(await findings(hostname)).toEqual([]);
  expect(await rebuildSite(options, hostname)).toBe('written');
  await settle();
  expect(await sitemaps()).toEqual([uploadId, blogId].sort());
  expect(await findings()).toEqual([]);
});

const put = (key: string, text: string) => storage.put(key, [Buffer.from(text)]);

describe('URLs that wait to be submitted', () => {
  async function addBatch(hostname: string) {
    const { rows } = await database.query('SELECT id, account_id FROM domains WHERE hostname = $1', [
      hostname,
    ]);
    const { id, account_id: accountId } = rows[0];
    const key = outboxKey(outboxPrefix(id, 'upload_1', 'random'), 1);
    await put(key, 'urls');
    await database.query(
      `WITH host AS (
         INSERT INTO indexnow_hosts (domain_id, host, account_id, scheme, key) VALUES ($1, 'www.example.com', $2, 'https', 'k')
       ), submission AS (
         INSERT INTO indexnow_submissions (domain_id, upload_id, sitemap_name, batches_left) VALUES ($1, 'u', 's', 1) RETURNING id
       )
       INSERT INTO indexnow_batches (submission_id, domain_id, host, object, first, url_count)
       SELECT id, $1, 'www.example.com', $3, 0, 1 FROM submission`,
      [id, accountId, key],
    );
    return key;
  }

  test('are no finding, and neither is what is listed as garbage', async () => {
    const { hostname } = await publishSite();
    const key = await addBatch(hostname);
    const prefixes = [key.replace('/1.txt', '/2.txt'), key.replace('-random', '-other')];
    await addGarbage(database, [prefixes[0]!, prefixes[1]!.replace('1.txt.gz', '')], DAY_MS);
    for (const prefix of prefixes) await put(prefix, 'urls');
    expect(await findings()).toEqual([]);
    expect(await findings(hostname)).toEqual([]);
  });

  test('are named when the store lost them, and objects that nobody needs are extra', async () => {
    const { hostname } = await publishSite();
    const key = await addBatch(hostname);
    const extra = key.replace('/1.txt', '/3.txt');
    await put(extra, 'urls');
    await storage.deleteMany([key]);
    const wanted = [`extra object ${extra}`, `missing URLs ${key}`];
    expect(await findings(hostname)).toEqual(wanted);
    expect(await findings()).toEqual(wanted);
    await storage.deleteMany([extra]);
    await database.query('DELETE FROM indexnow_batches WHERE object = $1', [key]);
    expect(await findings()).toEqual([]);
  });
});

/** Gives the site a certificate. The doctor compares it, and need not understand it. */
async function addCertificate(hostname: string): Promise<void> {
  const sealed = JSON.stringify({ keyId: 'k1', bytes: `sealed for ${hostname}` });
  await database.query(
    `INSERT INTO certificates (account_id, hostname, domain_id, chain, key, not_after)
     SELECT account_id, hostname, id, 'chain', $2, now() + interval '30 days' FROM domains WHERE hostname = $1
         ON CONFLICT (account_id, hostname) DO UPDATE
        SET chain = excluded.chain, key = excluded.key, not_after = excluded.not_after`,
    [hostname, sealed],
  );
  await rebuildSite(options, hostname);
  await settle();
}

/** A damage, and the finding that it makes. */
interface Damage {
  readonly done: Promise<unknown>;
  readonly finding: string;
}

const gone = (key: string): Damage => ({ done: storage.deleteMany([key]), finding: `missing object ${key}` });
const overwritten = (key: string, text: string): Damage => ({
  done: put(key, text),
  finding: `damaged object ${key}`,
});
const edited = (hostname: string, edit: (site: Site) => void): Damage => ({
  done: editSite(hostname, edit),
  finding: `damaged object ${siteKey(hostname)}`,
});
const OTHER_BYTES = Buffer.from('x').toString('base64');
const listingIn = ({ sitemaps }: Site, name: string) => sitemaps.find((one) => one.name === name)!.listing!;

/** The damage is found in all and in the one site, and a rebuild mends it. */
async function isMended(
  { hostname }: { readonly hostname: string },
  { done, finding }: Damage,
  rebuilding: WriteSiteOptions & typeof options = options,
): Promise<void> {
  await done;
  expect(await findings()).toEqual([finding]);
  expect(await findings(hostname)).toEqual([finding]);
  expect(await rebuildSite(rebuilding, hostname)).toBe('written');
  await settle();
  expect(await findings()).toEqual([]);
}

describe('damage that can be rebuilt is named, and is gone after a rebuild:', () => {
  let site: Published;
  beforeAll(async () => {
    site = await publishSite();
  });

  test.each<[string, (site: Published) => Damage]>([
    ['a site.json that is gone', ({ hostname }) => gone(siteKey(hostname))],
    ['a site.json that is no JSON', ({ hostname }) => overwritten(siteKey(hostname), '{"host')],
    [
      'an index in site.json with other bytes',
      ({ hostname }) => edited(hostname, (site) => Object.assign(site.index!, { content: OTHER_BYTES })),
    ],
    [
      'a small file with other bytes',
      ({ hostname }) =>
        edited(hostname, (site) =>
          Object.assign(listingIn(site, 'blog').files[0]!, { content: OTHER_BYTES }),
        ),
    ],
    [
      'a small file without its bytes',
      ({ hostname }) => edited(hostname, (site) => delete listingIn(site, 'blog').files[0]!.content),
    ],
    [
      'a listing in site.json of other files',
      ({ hostname }) => edited(hostname, (site) => listingIn(site, '').files.pop()),
    ],
    [
      'a listing that is neither in site.json nor an object',
      ({ hostname, blogId }) => ({
        ...edited(hostname, ({ sitemaps }) => {
          delete sitemaps.find(({ name }) => name === 'blog')!.listing;
        }),
        finding: `missing object ${listingKey(blogId)}`,
      }),
    ],
    [
      'a certificate that is gone',
      ({ hostname }) => ({
        done: addCertificate(hostname).then(() => storage.deleteMany([certificateKey(hostname)])),
        finding: `missing object ${certificateKey(hostname)}`,
      }),
    ],
    [
      'the certificate of another host',
      ({ hostname }) => ({
        done: (async () => {
          const other = await publishSite();
          await addCertificate(other.hostname);
          await addCertificate(hostname);
          const bytes = await readObject(storage, certificateKey(other.hostname));
          await storage.put(certificateKey(hostname), [bytes!]);
        })(),
        finding: `damaged object ${certificateKey(hostname)}`,
      }),
    ],
    [
      'a site that is older than the database',
      ({ hostname }) => ({
        done: database.query(
          "UPDATE domains SET generation = nextval('site_generations') WHERE hostname = $1",
          [hostname],
        ),
        finding: `stale site ${siteKey(hostname)}`,
      }),
    ],
  ])('%s', async (_, damage) => {
    await isMended(site, damage(site));
  });
});

test('a served domain for which nothing asks for a certificate is named', async () => {
  const { hostname } = await publishSite();
  await database.query('DELETE FROM certificates WHERE hostname = $1', [hostname]);
  expect(await findings()).toEqual([`missing certificate ${certificateKey(hostname)}`]);
  const { rows } = await database.query<{ id: string }>('SELECT id FROM domains WHERE hostname = $1', [
    hostname,
  ]);
  expect(await renewNow(database, rows[0]!.id)).toBe(true);
  expect(await findings()).toEqual([]);
});

describe('damage of objects that are too large for site.json is named, and is gone after a rebuild:', () => {
  let site: Awaited<ReturnType<typeof publishMany>>;
  beforeAll(async () => {
    site = await publishMany();
  });
  afterAll(async () => {
    await database.query('DELETE FROM domains WHERE hostname = $1', [site.hostname]);
    await fixture.writeSite(site.hostname);
    await removeUploads(site.uploadId);
  });

  test.each<[string, (site: Many) => Damage]>([
    ['an index that is gone', ({ indexKey }) => gone(indexKey)],
    ['an index that is cut short', ({ indexKey }) => overwritten(indexKey, 'x')],
    ['a listing that is gone', ({ uploadId }) => gone(listingKey(uploadId))],
    [
      'a listing of other files',
      ({ uploadId }) => overwritten(listingKey(uploadId), '{"index":null,"files":[]}'),
    ],
    ['an index of parts that is gone', ({ uploadId }) => gone(uploadIndexKey(uploadId))],
  ])('%s', async (_, damage) => {
    // Each rebuild writes an index of its own.
    const indexKey = siteIndexKey(site.hostname, await generationOf(site.hostname));
    await isMended(site, damage({ ...site, indexKey }));
  });
});

describe('damage of a site that is divided into sections is named, and is gone after a rebuild:', () => {
  const dividing = { ...options, sectionSitemaps: 4 };
  let hostname: string;
  beforeAll(async () => {
    ({ hostname } = await addServedDomain(database, account));
    for (let n = 1; n <= 9; n++) {
      const upload = { domain: hostname, sitemapName: `s${n}`, urls: plainEntries(n) };
      await fixture.upload(account, upload, { writeSite: async () => {} });
    }
    await writeSite(dividing, hostname);
    await settle();
    expect(await findings()).toEqual([]);
  });

  const sectionOf = ({ hostname, sections }: Site) => sectionKey(hostname, sections![1]!);
  const editSection = async (site: Site, edit: (sitemaps: SectionSitemap[]) => void) => {
    const { sitemaps } = JSON.parse((await readObject(storage, sectionOf(site)))!.toString());
    edit(sitemaps);
    await put(sectionOf(site), JSON.stringify({ sitemaps }));
  };

  test.each<[string, (site: Site) => Damage]>([
    ['a section that is gone', (site) => gone(sectionOf(site))],
    ['a section that is no JSON', (site) => overwritten(sectionOf(site), '{"site')],
    [
      'a section that lacks a sitemap',
      (site) => ({
        done: editSection(site, (sitemaps) => sitemaps.pop()),
        finding: `stale site ${siteKey(site.hostname)}`,
      }),
    ],
  ])('%s', async (_, damage) => {
    const site = (await readSite(storage, hostname))!;
    await isMended({ hostname }, damage(site), dividing);
    expect((await readSite(storage, hostname))!.sections).toHaveLength(2);
  });
});

/** Without rows of their own, these would be extra in the tests that follow. */
const removeUploads = async (uploadId: string) =>
  storage.deleteMany(await fixture.keys(uploadPrefix(uploadId)));

test('objects of a listing and an index that are in site.json now are not extra', async () => {
  const { hostname, blogId, uploadId, indexKey } = await publishSite();
  for (const key of [listingKey(blogId), uploadIndexKey(uploadId), indexKey]) await put(key, 'from before');
  expect(await findings()).toEqual([]);
  expect(await findings(hostname)).toEqual([]);
});

test('a small file whose row is lost is missing, and the next upload restores it', async () => {
  const { hostname, blogId } = await publishSite();
  await database.query('DELETE FROM small_files WHERE upload_id = $1', [blogId]);
  const expected = [`damaged object ${siteKey(hostname)}`, `missing file ${uploadFileKey(blogId, 1)}`];
  expect(await findings()).toEqual(expected);
  await fixture.upload(account, { domain: hostname, sitemapName: 'blog', urls: plainEntries(6) });
  await settle();
  expect(await findings()).toEqual([]);
});

test('missing and truncated files are named, and the next upload restores them', async () => {
  const { hostname, uploadId } = await publishSite();
  await storage.deleteMany([uploadFileKey(uploadId, 2)]);
  await put(uploadFileKey(uploadId, 3), 'x');
  const expected = [
    `damaged file ${uploadFileKey(uploadId, 3)}`,
    `missing file ${uploadFileKey(uploadId, 2)}`,
  ];
  expect(await findings()).toEqual(expected);
  expect(await findings(hostname)).toEqual(expected);
  await fixture.upload(account, { domain: hostname, force: true, urls: plainEntries(5) });
  expect(await findings()).toEqual([]);
});

test('a file that is replaced and collected during the examination is no finding while others of its upload are live', async () => {
  const { uploadId } = await publishSite();
  const key = uploadFileKey(uploadId, 2);
  const content = await readObject(storage, key);
  const changing: Partial<ObjectStorage> = {
    get: storage.get.bind(storage),
    head: async (of) => {
      if (of !== key) return storage.head(of);
      await database.query('UPDATE sitemap_files SET to_seq = from_seq + 1 WHERE upload_id = $1 AND n = 2', [
        uploadId,
      ]);
      return undefined;
    },
    list: storage.list.bind(storage),
  };
  await storage.deleteMany([key]);
  expect(await findings(undefined, { storage: changing as ObjectStorage })).toEqual([]);
  await storage.put(key, [content!]);
  await database.query('UPDATE sitemap_files SET to_seq = NULL WHERE upload_id = $1', [uploadId]);
});

test('a lost list of changes is named, and those of a live upload and its hashes are no orphans', async () => {
  const { hostname, uploadId } = await publishSite();
  const keys = [1, 2, 3].map((n) => changesKey(uploadId, n));
  for (const key of [...keys, fileHashesKey(uploadId, 1)]) await put(key, 'x');
  expect(await findings()).toEqual([]);
  const row = `INSERT INTO comparisons (upload_id, state, parts, seconds) VALUES ($1, 'compared', 2, 1)`;
  await database.query(row, [uploadId]);
  expect(await findings(hostname)).toEqual([]);
  await storage.deleteMany([keys[1]!]);
  const expected = [`missing changes ${keys[1]}`];
  expect(await findings()).toEqual(expected);
  expect(await findings(hostname)).toEqual(expected);
  await fixture.upload(account, { domain: hostname, force: true, urls: plainEntries(5) });
  expect(await findings()).toEqual([]);
});

test('orphaned objects are named', async () => {
  const { hostname, uploadId } = await publishSite();
  const extra = [`sites/${hostname}/note.txt`, 'uploads/unknown/1.xml.gz', uploadFileKey(uploadId, 9)].sort();
  for (const key of extra) await put(key, 'x');
  expect(await findings()).toEqual(extra.map((key) => `extra object ${key}`));
  expect(await findings(hostname)).toHaveLength(2);
  await storage.deleteMany(extra);
});

test('a site without a domain is named, and a rebuild removes it', async () => {
  const { hostname } = await publishSite();
  const json = await readObject(storage, siteKey(hostname));
  await storage.put(siteKey('gone.example'), [json!]);
  expect(await findings()).toEqual([`extra site ${siteKey('gone.example')}`]);
  expect(await rebuildSite(options, 'gone.example')).toBe('removed');
  expect(await findings()).toEqual([]);
  expect(await rebuildSite(options, 'gone.example')).toBe('unknown');
  expect(await findings(hostname)).toEqual([]);
});

test('the examination waits for a site that is being published', async () => {
  const { hostname } = await publishSite();
  const { writeSite } = fixture;
  let written: Promise<unknown> | undefined;
  const late = (name: string) => {
    written = new Promise((resolve) => setTimeout(resolve, 700)).then(() => writeSite(name));
    return Promise.resolve();
  };
  await fixture.upload(
    account,
    { domain: hostname, force: true, urls: plainEntries(7) },
    { writeSite: late },
  );
  expect(await findings()).toEqual([]);
  await written;
});

test('content published, replaced and collected during the examination is no finding', async () => {
  const { hostname } = await publishSite();
  let uploads = 0;
  const changing: Pick<ObjectStorage, 'get' | 'head' | 'list' | 'put' | 'deleteMany'> = {
    put: storage.put.bind(storage),
    get: storage.get.bind(storage),
    head: storage.head.bind(storage),
    deleteMany: storage.deleteMany.bind(storage),
    async *list(prefix) {
      yield* storage.list(prefix);
      // The listing has run already, so the database names an upload that the listing lacks.
      const body = { domain: hostname, sizeLimit: 'gsc-optimized', urls: plainEntries(1500 + ++uploads) };
      await fixture.upload(account, body);
      const discarded = { ...body, urls: [{ loc: 'nonsense' }] };
      await fixture.upload(account, discarded).catch(() => {});
    },
  };
  expect(await findings(undefined, { storage: changing as ObjectStorage })).toEqual([]);
  expect(uploads).toBe(7);
});

test('a list of rejected entries is in its place while it is listed as garbage', async () => {
  const prefix = rejectsPrefix(account, 'upload_some');
  await put(rejectsKey(prefix, 1), 'a list');
  expect(await findings()).toEqual([`extra object ${rejectsKey(prefix, 1)}`]);
  await addGarbage(database, [prefix], DAY_MS);
  expect(await findings()).toEqual([]);
});

test('certificates and challenges that belong to nobody are named, those under way are not', async () => {
  const site = await publishSite();
  await addCertificate(site.hostname);
  await put(challengeKey(site.hostname), '{}');
  await put(certificateKey('nobody.example.com'), '{}');
  const extra = `extra object ${certificateKey('nobody.example.com')}`;
  expect(await findings()).toEqual([extra, `extra object ${challengeKey(site.hostname)}`]);
  const lease = `UPDATE certificates SET leased_until = now() + interval '1 hour' WHERE hostname = $1`;
  await database.query(lease, [site.hostname]);
  expect(await findings()).toEqual([extra]);
  await database.query('UPDATE certificates SET leased_until = NULL');
  await storage.deleteMany([certificateKey('nobody.example.com'), challengeKey(site.hostname)]);
});

test('stuck jobs and uncollected garbage are named', async () => {
  await addGarbage(database, ['uploads/overdue/'], -2 * 3_600_000);
  // In the hour after an upgrade, the collector may not have found it yet.
  expect(await findings()).toEqual([]);
  await database.query(
    "UPDATE backfills SET done_at = now() - interval '2 hours' WHERE name = 'garbage.due'",
  );
  const add = (key: string) =>
    database.query(`SELECT graphile_worker.add_job('site.publish', '{}', job_key => $1)`, [key]);
  await Promise.all(['fresh', 'failed', 'waiting', 'given up', 'locked'].map(add));
  // A job that goes through all objects may run for hours.
  for (const [name, key] of [
    ['doctor.examine', 'long'],
    ['sites.publish', 'too long'],
  ])
    await database.query(`SELECT graphile_worker.add_job($1, '{}', job_key => $2)`, [name, key]);
  const set = (key: string, change: string) =>
    database.query(`UPDATE graphile_worker._private_jobs SET ${change} WHERE key = $1`, [key]);
  await database.query(
    "INSERT INTO site_changes VALUES ('late.example', 1, now() - interval '2 minutes', now()), ('new.example', 1, now(), now())",
  );
  await set('failed', `attempts = 4, last_error = E'the store is down\\nat …'`);
  await set('waiting', `run_at = now() - interval '1 hour'`);
  await set('given up', 'attempts = max_attempts');
  await set('locked', `locked_at = now() - interval '2 hours', locked_by = 'dead'`);
  for (const key of ['long', 'too long'])
    await set(key, `run_at = now() - interval '2 hours', locked_at = now(), locked_by = 'alive'`);
  expect(await findings()).toEqual([
    'overdue garbage uploads/overdue/',
    'stuck job failed',
    'stuck job given up',
    'stuck job locked',
    `stuck job ${siteKey('late.example')}`,
    'stuck job too long',
    'stuck job waiting',
  ]);
  await database.query("DELETE FROM garbage WHERE prefix = 'uploads/overdue/'");
});

test('a store that lost everything is not examined to its end', async () => {
  const { hostname } = await publishSite();
  await database.query(
    `INSERT INTO sitemap_files (domain_id, sitemap_name, from_seq, upload_id, n, upload_n, entries, bytes, gzip_bytes, etag, last_modified)
     SELECT d.id, s.name, 1, s.upload_id, n, n, 1, 1, 1, 'x', now() FROM sitemaps s JOIN domains d ON d.id = s.domain_id,
            generate_series(100, 1500) AS n WHERE d.hostname = $1 AND s.name = 'blog'`,
    [hostname],
  );
  const found = await collect(examine(options, hostname));
  expect(found.filter(({ problem }) => problem === 'missing file')).toHaveLength(1000);
});

test('a failing store is an error, not a finding', async () => {
  const failing = {
    ...storage,
    list: storage.list.bind(storage),
    get: () => Promise.reject(new Error('down')),
  };
  await expect(findings(undefined, { storage: failing as unknown as ObjectStorage })).rejects.toThrow('down');
});
