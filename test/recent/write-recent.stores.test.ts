import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { examine } from '../../src/features/doctor/examine.ts';
import { deleteDomain } from '../../src/features/domains/delete-domain.ts';
import type { ChangedDomain } from '../../src/features/domains/domain.ts';
import { type DueRecent, postponeRecent, takeDueRecent } from '../../src/features/recent/due-recent-store.ts';
import { readChanged } from '../../src/features/recent/read-packs.ts';
import { keepVersion } from '../../src/features/recent/recent-store.ts';
import { collectGarbage } from '../../src/features/sites/collect-garbage.ts';
import { openSites } from '../../src/features/sites/open-sites.ts';
import { rebuildSite } from '../../src/features/sites/rebuild-site.ts';
import { feedKey, siteIndexKey, uploadPrefix } from '../../src/features/sites/site.ts';
import { deleteSitemap } from '../../src/features/uploads/delete-sitemap.ts';
import { NotYetVisible } from '../../src/platform/not-yet-visible.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { readObject } from '../../src/platform/storage/object-storage.ts';
import { readXml } from '../sitemap/read-xml.ts';
import { addAccount } from '../support/accounts.ts';
import { collect } from '../support/collect.ts';
import { collectLog } from '../support/collect-log.ts';
import { untilStatementWaits } from '../support/until-statement-waits.ts';
import { bulkyEntries, plainEntries } from '../uploads/batches.ts';
import { DAY_MS } from '../uploads/upload-fixture.ts';
import { createRecentWorld } from './recent-world.ts';

const world = await createRecentWorld();
const { database, storage } = world;

const withDate = (entries: readonly { loc: string }[], lastmod: string) =>
  entries.map((entry) => ({ ...entry, lastmod }));
const locsOf = (entries: readonly { loc: string }[]) => entries.map(({ loc }) => loc).sort();

test('added and changed entries are in the files as they are published, and removed ones leave', async () => {
  const domain = await world.addDomain();
  await domain.publish(plainEntries(2000), { sitemapName: 'products' });
  expect(await domain.locs()).toEqual([]);
  expect((await domain.summary()).leftOut).toMatchObject([{ sitemapName: 'products', reason: 'first' }]);

  const next = [...withDate(plainEntries(5), '2026-01-01'), ...plainEntries(2000, 5)];
  await domain.publish(next, { sitemapName: 'products' });
  expect(await domain.locs()).toEqual(locsOf([...plainEntries(5), ...plainEntries(5, 2000)]));
  expect((await domain.entries())[0]).toBe(
    '<url><loc>https://example.com/0</loc><lastmod>2026-01-01</lastmod></url>\n',
  );

  await domain.publish([...plainEntries(1, 1), ...next.slice(2)], { sitemapName: 'products' });
  // URL 0 is gone, and URL 1 has lost its date again.
  expect(await domain.locs()).toEqual(locsOf([...plainEntries(4, 1), ...plainEntries(5, 2000)]));
  expect((await domain.entries())[0]).toBe('<url><loc>https://example.com/1</loc></url>\n');
  expect(await domain.summary()).toMatchObject({ enabled: true, hours: 72, urlCount: 9 });
});

test('the recent files come first in the index, as one file or as an index of parts', async () => {
  const domain = await world.addDomain();
  await domain.publish(plainEntries(8000));
  await domain.publish(plainEntries(8002));
  const index = async () => {
    const { index, generation, hostname } = await domain.site();
    const bytes = index?.content
      ? Buffer.from(index.content, 'base64')
      : await readObject(storage, siteIndexKey(hostname, generation));
    return [
      ...gunzipSync(bytes!)
        .toString()
        .matchAll(/<loc>(.*?)<\/loc>/g),
    ].map(([, loc]) => loc);
  };
  expect(await index()).toEqual([
    `https://${domain.hostname}/sitemap-recent.xml`,
    ...Array.from({ length: 9 }, (_, i) => `https://${domain.hostname}/sitemap.${i + 1}.xml`),
  ]);
  await domain.upload(plainEntries(9500));
  await domain.compare();
  await domain.write({ entriesPerFile: 1000 });
  const files = await domain.files();
  expect(files.map((xml) => xml.match(/<url>/g)!.length)).toEqual([1000, 500]);
  expect((await index()).slice(0, 2)).toEqual([
    `https://${domain.hostname}/sitemap-recent.1.xml`,
    `https://${domain.hostname}/sitemap-recent.2.xml`,
  ]);
  expect(await domain.locs()).toEqual(locsOf(plainEntries(1500, 8000)));
});

test('a version takes the oldest packs, up to a number of URLs, but at least one pack', async () => {
  const domain = await world.addDomain();
  await domain.publish(plainEntries(100));
  for (const priority of [0.1, 0.2, 0.3]) {
    await domain.delta({ upsert: [0, 1].map((i) => ({ ...plainEntries(2)[i]!, priority })) });
  }
  const seqs = async (maxUrls: number) => {
    const { generations, ids } = await readChanged(world, domain.id, Date.now() / 1000, maxUrls);
    expect(ids).toHaveLength(generations.length);
    return generations.map(({ seq }) => seq);
  };
  expect(await seqs(1)).toEqual([2]);
  expect(await seqs(5)).toEqual([3, 2]);
  expect(await seqs(6)).toEqual([4, 3, 2]);
});

test('a version whose site cannot be written is announced all the same', async () => {
  const domain = await world.addDomain();
  await domain.publish(plainEntries(100));
  await domain.delta({ upsert: plainEntries(1, 100) });
  const openChangeThatFails = async () => {
    const change = await world.writing.openChange();
    return {
      ...{ transaction: change.transaction, [Symbol.asyncDispose]: () => change[Symbol.asyncDispose]() },
      async commit(...changed: readonly ChangedDomain[]) {
        await change.commit(...changed);
        throw new NotYetVisible('the store is down');
      },
    };
  };
  expect(await domain.write({ openChange: openChangeThatFails })).toEqual({
    newFeed: `https://${domain.hostname}/changes.atom`,
  });
});

describe('what is left out', () => {
  test('a sitemap of which more than 20 % changed begins again', async () => {
    const domain = await world.addDomain();
    await domain.publish(plainEntries(6000));
    await domain.publish(
      withDate(plainEntries(6000), '2026-01-01')
        .slice(0, 1100)
        .concat(plainEntries(4900, 1100) as never),
    );
    expect(await domain.locs()).toHaveLength(1100);
    const changed = withDate(plainEntries(1300), '2026-01-01');
    await domain.publish([...changed, ...plainEntries(4700, 1300)]);
    expect(await domain.locs()).toEqual([]);
    expect((await domain.summary()).leftOut).toMatchObject([{ sitemapName: '', reason: 'many-changes' }]);
    await domain.publish([...changed, ...plainEntries(4710, 1300)]);
    expect(await domain.locs()).toHaveLength(10);
    expect((await domain.summary()).leftOut).toMatchObject([{ sitemapName: '', reason: 'many-changes' }]);
  });

  test('the oldest changes go if there are too many', async () => {
    const domain = await world.addDomain();
    await domain.publish(plainEntries(100), { sitemapName: 'old' });
    await domain.publish(plainEntries(100), { sitemapName: 'new' });
    await domain.upload(plainEntries(110), { sitemapName: 'old' });
    await domain.compare();
    await domain.passHours(0.5);
    await domain.upload(plainEntries(108), { sitemapName: 'new' });
    await domain.compare();
    await domain.write({ maxUrls: 10 });
    expect(await domain.locs()).toEqual(locsOf(plainEntries(8, 100)));
    expect((await domain.summary()).leftOut).toMatchObject([
      { sitemapName: 'old', reason: 'limit' },
      { sitemapName: 'new', reason: 'first' },
    ]);
  });

  test('entries beyond the tenth file', async () => {
    const domain = await world.addDomain();
    await domain.publish(plainEntries(60_000), { sizeLimit: 'standard' });
    await domain.upload(plainEntries(71_500), { sizeLimit: 'standard' });
    await domain.compare();
    await domain.write({ entriesPerFile: 1000 });
    expect(await domain.files()).toHaveLength(10);
    expect(await domain.summary()).toMatchObject({
      urlCount: 10_000,
      leftOut: [{ sitemapName: '', reason: 'limit' }],
    });
  });

  test('changes that another version of our XML wrote, and a pack that is lost', async () => {
    const domain = await world.addDomain();
    await domain.publish(plainEntries(10));
    await domain.upload(plainEntries(12));
    await domain.compare();
    await database.query("UPDATE changed_entries SET content = 'x' WHERE domain_id = $1", [domain.id]);
    await domain.write();
    expect(await domain.locs()).toEqual([]);
    expect((await domain.summary()).leftOut).toMatchObject([{ sitemapName: '', reason: 'unknown' }]);
    await database.query('UPDATE uploads SET xml_version = 0 WHERE domain_id = $1', [domain.id]);
    await domain.publish(plainEntries(14));
    expect((await domain.summary()).leftOut).toMatchObject([{ sitemapName: '', reason: 'xml-version' }]);
  });
});

test('changes leave with the window, and with their sitemap', async () => {
  const domain = await world.addDomain({ enabled: true, hours: 10 });
  for (const sitemapName of ['a', 'b']) await domain.publish(plainEntries(10), { sitemapName });
  await domain.upload(plainEntries(12), { sitemapName: 'a' });
  await domain.compare();
  await domain.passHours(9);
  await domain.upload(plainEntries(13, 100), { sitemapName: 'b' });
  await domain.compare();
  await domain.write();
  expect(await domain.locs()).toHaveLength(2 + 13);
  expect(await domain.write()).toBeUndefined();
  await domain.change({ hours: 8 });
  expect(await domain.write()).toBeDefined();
  expect(await domain.locs()).toEqual(locsOf(plainEntries(13, 100)));
  const { openChange } = world.options;
  const place = { id: domain.id, hostname: domain.hostname } as never;
  await deleteSitemap({ openChange, keepReplacedMs: DAY_MS }, place, 'b');
  await domain.write();
  expect(await domain.locs()).toEqual([]);
});

test('the time of the index does not go back when the last changes leave with the window', async () => {
  const domain = await world.addDomain({ enabled: true, hours: 10 });
  const indexTime = async () => Date.parse((await domain.site()).index!.lastModified);
  await domain.publish(plainEntries(10));
  await domain.upload(plainEntries(12));
  await domain.compare();
  await domain.passHours(9);
  await domain.write();
  expect(await domain.locs()).toHaveLength(2);
  const before = await indexTime();
  await domain.change({ hours: 8 });
  await domain.write();
  expect((await domain.site()).sitemaps.map(({ name }) => name)).toEqual(['']);
  expect(await indexTime()).toBeGreaterThanOrEqual(before);
});

test('a lost or damaged version is made again of nothing, and says so', async () => {
  const domain = await world.addDomain();
  await domain.publish(plainEntries(10));
  await domain.publish(plainEntries(12));
  const { sitemaps } = await domain.site();
  const { uploadId } = sitemaps.find(({ name }) => name === 'recent')!;
  await storage.put(`${uploadPrefix(uploadId)}1.xml.gz`, [Buffer.from('damaged')]);
  await domain.publish(plainEntries(14));
  expect(await domain.locs()).toEqual([]);
  expect((await domain.summary()).leftOut).toMatchObject([{ sitemapName: '', reason: 'unknown' }]);
  await domain.publish(plainEntries(16));
  expect(await domain.locs()).toEqual(locsOf(plainEntries(2, 14)));
});

test('a pack that is not small is an object, until it is in the files', async () => {
  const domain = await world.addDomain();
  await domain.publish(plainEntries(10));
  await domain.upload([...plainEntries(10), ...bulkyEntries(900)]);
  await domain.compare();
  const packs = () => world.keys(`changed/${domain.id}/`);
  const [pack] = await packs();
  expect(pack).toMatch(/\.pack$/);
  expect(await world.garbage()).not.toContain(pack);
  await domain.write();
  expect(await domain.locs()).toHaveLength(900);
  expect(await world.garbage()).toContain(pack);
  await collectGarbage({
    ...{ database, storage, log: collectLog(), keepReplacedMs: DAY_MS },
    replacedBytes: {},
  });
  expect(await packs()).toEqual([]);
  expect(await domain.locs()).toHaveLength(900);
});

test('deltas are in the files without a comparison, also if that of an earlier upload comes later', async () => {
  const domain = await world.addDomain();
  const sitemapName = 'products';
  await domain.publish(plainEntries(20), { sitemapName });
  await domain.upload([...withDate(plainEntries(3), '2026-01-01'), ...plainEntries(17, 3)], { sitemapName });
  await domain.delta({
    sitemapName,
    upsert: [{ loc: 'https://example.com/0', priority: 0.1 }, { loc: 'https://example.com/new' }],
    remove: ['https://example.com/1'],
  });
  await domain.write();
  expect(await domain.entries()).toEqual([
    '<url><loc>https://example.com/0</loc><priority>0.1</priority></url>\n',
    '<url><loc>https://example.com/new</loc></url>\n',
  ]);
  await domain.compare();
  await domain.write();
  expect(await domain.entries()).toEqual([
    '<url><loc>https://example.com/0</loc><priority>0.1</priority></url>\n',
    '<url><loc>https://example.com/2</loc><lastmod>2026-01-01</lastmod></url>\n',
    '<url><loc>https://example.com/new</loc></url>\n',
  ]);
  // The upload changed 1, and the delta after it removed 1.
  expect((await feedOf(domain)).toSorted()).toEqual([
    '+ https://example.com/0',
    '+ https://example.com/2',
    '+ https://example.com/new',
    '- https://example.com/1',
  ]);
});

test('accounts take turns, however many domains of one account are due', async () => {
  const many = await addAccount(database);
  const one = await addAccount(database);
  const owners = [many, many, many, one];
  const domains = [];
  for (const owner of owners) domains.push(await world.addDomain({ enabled: true }, owner));
  await database.query(
    `UPDATE recent_sitemaps SET due_at = CASE WHEN domain_id = ANY($1) THEN now() - interval '1 second' * array_position($1, domain_id) END`,
    [domains.map(({ id }) => id).reverse()],
  );
  const taken: DueRecent[] = [];
  for (;;) {
    const due = await takeDueRecent(database, taken.at(-1)?.accountId);
    if (due === undefined) break;
    taken.push(due);
  }
  expect(new Set(taken.map(({ domainId }) => domainId))).toEqual(new Set(domains.map(({ id }) => id)));
  const turns = taken.map(({ accountId }) => accountId);
  // The account with one domain has the first turn or the second one.
  expect(turns.slice(0, 2)).toContain(one);
  expect(taken.filter(({ accountId }) => accountId === many).map(({ domainId }) => domainId)).toEqual(
    domains.slice(0, 3).map(({ id }) => id),
  );

  // A domain that is given back waits for its time, and has left the queue.
  await postponeRecent(database, taken[0]!, 60_000);
  expect(await takeDueRecent(database)).toBeUndefined();
  await postponeRecent(database, taken[0]!, 0);
  expect(await takeDueRecent(database)).toMatchObject({ domainId: taken[0]!.domainId });
});

test('a change that comes just as a look finds nothing is not forgotten', async () => {
  const domain = await world.addDomain();
  await domain.publish(plainEntries(3));
  await database.query('UPDATE recent_sitemaps SET due_at = CASE WHEN domain_id = $1 THEN now() END', [
    domain.id,
  ]);
  const due = await takeDueRecent(database);
  let keeping: Promise<void> | undefined;
  await inTransaction(database, async (transaction) => {
    await transaction.query(
      `INSERT INTO changed_entries (domain_id, sitemap_name, seq, left_out, bytes) VALUES ($1, '', 2, 'first', 0)`,
      [domain.id],
    );
    await transaction.query('UPDATE recent_sitemaps SET due_at = now() WHERE domain_id = $1', [domain.id]);
    keeping = keepVersion(database, due!, undefined);
    await untilStatementWaits(database, 'recent_sitemaps');
  });
  await keeping;
  const { rows } = await database.query('SELECT due_at FROM recent_sitemaps WHERE domain_id = $1', [
    domain.id,
  ]);
  expect(rows[0].due_at).not.toBeNull();
  await database.query('DELETE FROM changed_entries WHERE domain_id = $1', [domain.id]);
});

test('a change is due within a minute, although the last version was written while the clock was years ahead', async () => {
  const domain = await world.addDomain();
  await domain.publish(plainEntries(3));
  await database.query(
    `UPDATE recent_sitemaps SET updated_at = now() + interval '4 years', due_at = now() + interval '4 years'
      WHERE domain_id = $1`,
    [domain.id],
  );
  await domain.upload(plainEntries(4));
  await domain.compare();
  const { rows } = await database.query(
    'SELECT due_at <= now() + interval \'1 minute\' AS "isDue" FROM recent_sitemaps WHERE domain_id = $1',
    [domain.id],
  );
  expect(rows).toEqual([{ isDue: true }]);
});

test('the feed has the newest changes, with tombstones', async () => {
  const domain = await world.addDomain();
  await domain.publish(plainEntries(4));
  await domain.publish(plainEntries(6));
  await domain.publish(plainEntries(5, 1));
  expect(await feedOf(domain)).toEqual([
    '- https://example.com/0',
    '+ https://example.com/4',
    '+ https://example.com/5',
  ]);
});

/** The changes in the feed of a domain, in order: `+` and `-` with their URLs. */
async function feedOf(domain: Awaited<ReturnType<typeof world.addDomain>>): Promise<string[]> {
  const { feed } = await domain.site();
  const xml = gunzipSync((await readObject(storage, feedKey(feed!.uploadId)))!);
  expect(feed).toMatchObject({ bytes: xml.length });
  const { children } = readXml(xml.toString());
  return children.flatMap(({ name, attributes, children }) => {
    if (name.endsWith(' deleted-entry')) return `- ${attributes.ref}`;
    return name.endsWith(' entry') ? `+ ${children.find((child) => child.name.endsWith(' id'))!.text}` : [];
  });
}

test('the doctor knows all objects, and tells which are lost', async () => {
  const domain = await world.addDomain();
  const examined = () => collect(examine({ database, storage }, domain.hostname));
  await domain.publish(plainEntries(10));
  await domain.publish([...plainEntries(10), ...bulkyEntries(900)]);
  await domain.upload([...plainEntries(10), ...bulkyEntries(900, 500)]);
  await domain.compare();
  await database.query('DELETE FROM site_changes');
  expect(await examined()).toEqual([]);
  const { sitemaps } = await domain.site();
  const prefix = uploadPrefix(sitemaps.find(({ name }) => name === 'recent')!.uploadId);
  // The pack of the version before is still there, as garbage.
  const garbage = await world.garbage();
  const pack = (await world.keys(`changed/${domain.id}/`)).find((key) => !garbage.includes(key));
  await storage.deleteMany([`${prefix}recent.state`, pack!]);
  await storage.put(`${prefix}1.xml.gz`, [Buffer.from('x')]);
  await storage.put(`changed/${domain.id}/other.pack`, [Buffer.from('x')]);
  expect((await examined()).map(({ problem, subject }) => `${problem} ${subject}`).sort()).toEqual([
    `extra object changed/${domain.id}/other.pack`,
    `lost recent changes ${pack}`,
    `lost recent changes ${prefix}1.xml.gz`,
    `lost recent changes ${prefix}recent.state`,
  ]);
});

test('a deleted domain leaves all objects for collection', async () => {
  const domain = await world.addDomain();
  await domain.publish(plainEntries(10));
  await domain.publish(plainEntries(12));
  const { uploadId } = (await domain.site()).sitemaps.find(({ name }) => name === 'recent')!;
  await domain.upload([...plainEntries(10), ...bulkyEntries(900)]);
  await domain.compare();
  const [pack] = await world.keys(`changed/${domain.id}/`);
  const { openChange } = world.options;
  const shared = { publicOrigin: 'https://{hostname}', keepReplacedMs: DAY_MS, places: 2 };
  const discardUploads = openSites({ ...{ database, storage, log: collectLog() }, ...shared }).discard;
  const { rows } = await database.query('SELECT id, hostname, status FROM domains WHERE id = $1', [
    domain.id,
  ]);
  await deleteDomain({ openChange, discardUploads, onUnserved: async () => {} }, rows[0]);
  expect(await world.garbage()).toEqual(expect.arrayContaining([uploadPrefix(uploadId), pack]));
  await database.query('UPDATE garbage SET collect_after = now()');
  await collectGarbage({
    ...{ database, storage, log: collectLog(), keepReplacedMs: DAY_MS },
    replacedBytes: {},
  });
  expect(await world.keys(uploadPrefix(uploadId))).toEqual([]);
  expect(await world.keys(`changed/${domain.id}/`)).toEqual([]);
});

test('a rebuilt site gets recent files again that were lost', async () => {
  const domain = await world.addDomain();
  await domain.publish(plainEntries(10));
  await domain.publish(plainEntries(12));
  const { uploadId } = (await domain.site()).sitemaps.find(({ name }) => name === 'recent')!;
  await storage.deleteMany([`${uploadPrefix(uploadId)}1.xml.gz`]);
  const keepReplacedMs = DAY_MS;
  await rebuildSite(
    { database, storage, publicOrigin: 'https://{hostname}', keepReplacedMs },
    domain.hostname,
  );
  const { rows } = await database.query(
    'SELECT due_at <= now() + interval \'1 minute\' AS "isDue" FROM recent_sitemaps WHERE domain_id = $1',
    [domain.id],
  );
  expect(rows).toEqual([{ isDue: true }]);
  await domain.write();
  expect(await domain.files()).toEqual([]);
  expect((await domain.summary()).leftOut).toMatchObject([{ sitemapName: '', reason: 'unknown' }]);
});

test('the switch: the index must have room for ten files', async () => {
  const domain = await world.addDomain({});
  const { fileCount } = await domain.upload(plainEntries(10));
  expect(fileCount).toBe(1);
  const setFiles = (files: number) =>
    database.query(
      'UPDATE uploads SET file_count = $2 WHERE id IN (SELECT upload_id FROM sitemaps WHERE domain_id = $1)',
      [domain.id, files],
    );
  await setFiles(49_991);
  await expect(domain.change({ enabled: true })).rejects.toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining('49991 sitemap files'),
  });
  await setFiles(49_990);
  await domain.change({ enabled: true });
});

test('the switch: the name must be free, and nothing stays when it is off', async () => {
  const domain = await world.addDomain({ hours: 5 });
  await domain.publish(plainEntries(3), { sitemapName: 'recent' }).catch(() => {});
  await expect(domain.change({ enabled: true })).rejects.toMatchObject({ code: 'CONFLICT' });
  const { openChange } = world.options;
  const place = { id: domain.id, hostname: domain.hostname } as never;
  await deleteSitemap({ openChange, keepReplacedMs: DAY_MS }, place, 'recent');
  await domain.change({ enabled: true });
  await expect(domain.upload(plainEntries(3), { sitemapName: 'recent' })).rejects.toMatchObject({
    code: 'CONFLICT',
    options: { details: { field: 'sitemapName' } },
  });
  await domain.publish(plainEntries(3));
  await domain.publish(plainEntries(5));
  const { uploadId } = (await domain.site()).sitemaps.find(({ name }) => name === 'recent')!;
  expect(await domain.summary()).toMatchObject({ enabled: true, hours: 5, urlCount: 2 });
  const indexTime = async () => Date.parse((await domain.site()).index!.lastModified);
  const before = await indexTime();
  await domain.change({ enabled: false });
  expect((await domain.site()).sitemaps.map(({ name }) => name)).toEqual(['']);
  expect(await indexTime()).toBeGreaterThanOrEqual(before);
  expect(await world.garbage()).toContain(uploadPrefix(uploadId));
  expect(await domain.summary()).toMatchObject({ enabled: false, hours: 5, urlCount: 0, updatedAt: null });
});

test('changes of a clock that was ahead leave as if they were of now', async () => {
  const domain = await world.addDomain();
  await domain.publish(plainEntries(1000));
  const YEAR = 366 * DAY_MS;
  const ahead = (ms: number) => () => Math.floor((Date.now() + ms) / 1000);
  await domain.upload(plainEntries(1002, 1));
  await domain.compare();
  await domain.passHours(-YEAR / 3_600_000);
  await domain.write({ now: ahead(YEAR) });
  expect(await domain.locs()).toHaveLength(3);
  // The clock is right again, and nothing else happens.
  expect(await domain.write()).toBeDefined();
  expect(await domain.write()).toBeUndefined();
  expect(await domain.locs()).toHaveLength(3);
  const { feed } = await domain.site();
  const xml = gunzipSync((await readObject(storage, feedKey(feed!.uploadId)))!).toString();
  expect(xml).not.toContain(`<updated>${new Date(Date.now() + YEAR).getUTCFullYear()}`);
  await domain.write({ now: ahead(4 * DAY_MS) });
  expect(await domain.locs()).toEqual([]);
});

test('a version of a clock that was ahead holds up no later one', async () => {
  const domain = await world.addDomain();
  await domain.publish(plainEntries(1000));
  await database.query(
    "UPDATE recent_sitemaps SET updated_at = now() + interval '1 year', due_at = NULL WHERE domain_id = $1",
    [domain.id],
  );
  await database.query("UPDATE sitemaps SET compared_at = now() + interval '1 year' WHERE domain_id = $1", [
    domain.id,
  ]);
  await domain.upload(plainEntries(1001));
  const { rows } = await database.query(
    "SELECT compare_at < now() + interval '2 minutes' AS due FROM sitemaps WHERE domain_id = $1",
    [domain.id],
  );
  expect(rows).toEqual([{ due: true }]);
  await domain.compare();
  const recent = await database.query(
    "SELECT due_at < now() + interval '2 minutes' AS due FROM recent_sitemaps WHERE domain_id = $1",
    [domain.id],
  );
  expect(recent.rows).toEqual([{ due: true }]);
});

test('changes by deltas on an upload that was never compared are forgotten with it', async () => {
  const domain = await world.addDomain();
  const list = plainEntries(20);
  await domain.publish(list);
  for (const next of [
    () => domain.upload(list),
    () => domain.upload([...list, { loc: 'https://example.com/later' }]),
  ]) {
    await domain.upload(plainEntries(21));
    await domain.delta({
      upsert: [{ loc: 'https://example.com/never' }],
      remove: [list[3]!.loc],
    });
    await domain.write();
    expect(await domain.locs()).toEqual(['https://example.com/never']);
    expect((await feedOf(domain)).toSorted()).toEqual(
      ['+ https://example.com/never', `- ${list[3]!.loc}`].toSorted(),
    );
    // This upload is compared with the first one. Both lack the URL that the delta added, and have the one that it removed.
    await next();
    await domain.compare();
    await domain.write();
    expect(await domain.locs()).not.toContain('https://example.com/never');
    const { feed } = await domain.site();
    if (feed !== undefined) expect(await feedOf(domain)).toEqual(['+ https://example.com/later']);
    expect((await domain.summary()).leftOut).toMatchObject([{ reason: 'unknown' }]);
    await domain.upload(list);
    await domain.compare();
    await domain.write();
  }
});

test('the feed forgets what it said before changes that it does not know', async () => {
  const domain = await world.addDomain();
  await domain.publish(plainEntries(4000));
  await domain.publish(plainEntries(3999));
  expect(await feedOf(domain)).toEqual(['- https://example.com/3999']);
  // So many are new that nobody lists them, and the URL is there again.
  await domain.publish(plainEntries(6000));
  expect((await domain.summary()).leftOut).toMatchObject([{ reason: 'many-changes' }]);
  expect((await domain.site()).feed).toBeUndefined();
});
