/** The outbox: what a comparison leaves, whether it commits, is discarded or dies. */
import { gunzipSync } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import { domainLife } from '../../src/compose/domain-life.ts';
import { deleteDomain } from '../../src/features/domains/delete-domain.ts';
import { collectGarbage } from '../../src/features/sites/collect-garbage.ts';
import { switchSubmission } from '../../src/features/submission/switch-submission.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { readObject } from '../../src/platform/storage/object-storage.ts';
import { collect } from '../support/collect.ts';
import { collectLog } from '../support/collect-log.ts';
import { createSubmissionFixture } from './submission-fixture.ts';

const world = await createSubmissionFixture();
const { database, storage, openOutbox } = world;
let domain: Awaited<ReturnType<typeof world.addDomain>>;
beforeEach(async () => {
  domain = await world.addDomain();
});

const objectsOf = async ({ id }: typeof domain) =>
  (await collect(storage.list(`indexnow/${id}/`))).map(({ key }) => key).sort();
const urlsIn = async (key: string) =>
  gunzipSync((await readObject(storage, key))!)
    .toString()
    .split('\n');
const commit = (outbox: { settle: () => Promise<void>; commit: (transaction: never) => Promise<void> }) =>
  outbox.settle().then(() => inTransaction(database, (transaction) => outbox.commit(transaction as never)));
const switchTo = (isEnabled: boolean) =>
  switchSubmission({ database, isConfigured: true }, domain, isEnabled);
async function opened() {
  const comparison = world.comparisonOf(domain);
  return { comparison, outbox: (await openOutbox(comparison))! };
}

test('a domain that does not submit has none', async () => {
  await switchTo(false);
  expect(await openOutbox(world.comparisonOf(domain))).toBeUndefined();
});

test('a million changed URLs on three hosts make at most 103 batches, each of one host', async () => {
  const { comparison, outbox } = await opened();
  let at = 0;
  const next = () => `https://www${at % 3}.example.com/some/ordinary/path/page-${at++}.html`;
  for (let n = 0; n < 200; n++) await outbox.add('changed', Array.from({ length: 5000 }, next));
  await commit(outbox);
  const batches = await world.batches(domain);
  expect(batches.length).toBeLessThanOrEqual(103);
  expect(batches.reduce((sum, { urlCount }) => sum + urlCount, 0)).toBe(1_000_000);
  const seen = new Set<string>();
  for (const { host, object, urlCount } of batches) {
    expect(object.startsWith(`indexnow/${domain.id}/${comparison.uploadId}-`)).toBe(true);
    const urls = await urlsIn(object);
    expect(urls).toHaveLength(urlCount);
    expect(urls.every((url) => url.startsWith(`https://${host}/`))).toBe(true);
    for (const url of urls) seen.add(url);
  }
  expect(seen.size).toBe(1_000_000);
});

test('hosts are told apart by name and port, and not by scheme or case', async () => {
  const { outbox } = await opened();
  await outbox.add('added', ['http://a.example.com/1', 'https://A.example.com:443/2']);
  await outbox.add('removed', ['https://a.example.com:8443/3', 'http://b.example.com/4']);
  await commit(outbox);
  expect(await world.batches(domain)).toMatchObject([
    { host: 'a.example.com', urlCount: 2 },
    { host: 'a.example.com:8443', urlCount: 1 },
    { host: 'b.example.com', urlCount: 1 },
  ]);
  const hosts = await world.hosts(domain);
  expect(hosts.map(({ scheme }) => scheme)).toEqual(['https', 'https', 'http']);
  for (const { key } of hosts) expect(key).toMatch(/^[0-9a-f]{32}$/);
});

test('a host keeps its key, and needs its file again when its pages move to https', async () => {
  await world.change(domain, 'http://a.example.com/1');
  const [before] = await world.hosts(domain);
  await database.query('UPDATE indexnow_hosts SET verified_at = now() WHERE domain_id = $1', [domain.id]);
  await world.change(domain, 'http://a.example.com/2');
  expect(await world.hosts(domain)).toMatchObject([{ key: before!.key, isVerified: true, scheme: 'http' }]);
  await world.change(domain, 'https://a.example.com/2');
  expect(await world.hosts(domain)).toMatchObject([{ key: before!.key, isVerified: false, scheme: 'https' }]);
});

test('without a changed URL nothing is written', async () => {
  const { outbox } = await opened();
  await outbox.add('added', []);
  await commit(outbox);
  expect([await world.batches(domain), await objectsOf(domain), await world.hosts(domain)]).toEqual([
    [],
    [],
    [],
  ]);
});

test('a discarded outbox leaves nothing', async () => {
  const { outbox } = await opened();
  await outbox.add('added', ['https://a.example.com/1']);
  await outbox.settle();
  expect(await objectsOf(domain)).toHaveLength(1);
  await outbox.discard();
  expect([await objectsOf(domain), await world.batches(domain)]).toEqual([[], []]);
  expect((await world.garbage()).filter((prefix) => prefix.includes(domain.id))).toEqual([]);
});

test('what a dead comparison, or one that is rolled back, leaves is garbage', async () => {
  const { outbox } = await opened();
  await outbox.add('added', ['https://a.example.com/1']);
  await outbox.settle();
  const failing = inTransaction(database, async (transaction) => {
    await outbox.commit(transaction);
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');
  // The answer to COMMIT may have been lost.
  await outbox.discard();
  const [object] = await objectsOf(domain);
  const listed = (await world.garbage()).filter((prefix) => object!.startsWith(prefix));
  expect(listed).toHaveLength(1);
  expect(await world.hosts(domain)).toEqual([]);
});

test('an outbox that was collected before its commit does not commit', async () => {
  const { outbox } = await opened();
  await outbox.add('added', ['https://a.example.com/1']);
  await outbox.settle();
  await database.query('DELETE FROM garbage');
  await expect(commit(outbox)).rejects.toThrow('was collected');
  expect(await world.batches(domain)).toEqual([]);
});

test('what was switched off meanwhile is not committed, and stays garbage', async () => {
  const { outbox } = await opened();
  await outbox.add('added', ['https://a.example.com/1']);
  await outbox.settle();
  await switchTo(false);
  await commit(outbox);
  const [object] = await objectsOf(domain);
  expect((await world.garbage()).some((prefix) => object!.startsWith(prefix))).toBe(true);
  expect(await world.batches(domain)).toEqual([]);
});

test('a domain has at most a hundred hosts; URLs of others are not submitted, and an event says so', async () => {
  await world.listen(domain);
  const { outbox } = await opened();
  const urls = Array.from({ length: 130 }, (_, n) => `https://h${n}.example.com/`);
  await outbox.add('added', urls);
  await commit(outbox);
  expect(await world.hosts(domain)).toHaveLength(100);
  expect(await world.batches(domain)).toHaveLength(100);
  expect(await world.events(domain)).toMatchObject([
    {
      type: 'indexnow.failed',
      data: { host: null, urlCount: 30, message: expect.stringContaining('100 hosts') },
    },
  ]);
  // Another one gets no place either, while URLs of all hosts wait.
  await world.change(domain, 'https://other.example.com/', 'https://h0.example.com/again');
  expect((await world.batches(domain)).map(({ host }) => host)).toHaveLength(101);
  expect(await world.hosts(domain)).toHaveLength(100);
});

test('a host that was never verified gives up its place when nothing waits for it', async () => {
  const { outbox } = await opened();
  await outbox.add(
    'added',
    Array.from({ length: 100 }, (_, n) => `https://h${n}.example.com/`),
  );
  await commit(outbox);
  await database.query(`DELETE FROM indexnow_batches WHERE domain_id = $1 AND host = 'h7.example.com'`, [
    domain.id,
  ]);
  await world.change(domain, 'https://other.example.com/');
  const hosts = (await world.hosts(domain)).map(({ host }) => host);
  expect(hosts).toHaveLength(100);
  expect(hosts).toContain('other.example.com');
  expect(hosts).not.toContain('h7.example.com');
});

test('comparisons of several sitemaps at once keep to the limit of hosts', async () => {
  const outboxes = await Promise.all(Array.from({ length: 4 }, opened));
  for (const [n, { outbox }] of outboxes.entries()) {
    await outbox.add(
      'added',
      Array.from({ length: 60 }, (_, i) => `https://h${n}-${i}.example.com/`),
    );
  }
  await Promise.all(outboxes.map(({ outbox }) => commit(outbox)));
  expect(await world.hosts(domain)).toHaveLength(100);
  const waiting = new Set((await world.batches(domain)).map(({ object }) => object));
  const left = (await objectsOf(domain)).filter((object) => !waiting.has(object));
  expect(left).toHaveLength(140);
  const garbage = await world.garbage();
  expect(left.filter((object) => !garbage.some((prefix) => object.startsWith(prefix)))).toEqual([]);
});

test('what waits when submission is switched off is never submitted, even if it is switched on again', async () => {
  await world.change(domain, `${world.pages.origin}/1`);
  await world.putKey(domain, world.pages);
  await switchTo(false);
  expect(await world.batches(domain)).toEqual([]);
  await world.workOff();
  await switchTo(true);
  await world.workOff();
  expect(world.endpoint.submissions).toEqual([]);
  await world.change(domain, `${world.pages.origin}/2`);
  await world.workOff();
  expect(world.endpoint.accepted()).toEqual([`${world.pages.origin}/2`]);
});

test('with the domain goes everything: rows, and objects as garbage', async () => {
  await world.change(domain, 'https://a.example.com/1');
  await deleteDomain(domainLife(world.sites), domain);
  const { rows } = await database.query(
    `SELECT (SELECT count(*) FROM indexnow_hosts WHERE domain_id = $1) AS hosts,
            (SELECT count(*) FROM indexnow_batches WHERE domain_id = $1) AS batches,
            (SELECT count(*) FROM indexnow_submissions WHERE domain_id = $1) AS submissions`,
    [domain.id],
  );
  expect(rows).toEqual([{ hosts: 0, batches: 0, submissions: 0 }]);
  await collectGarbage({ database, storage, log: collectLog(), keepReplacedMs: 0, replacedBytes: {} });
  expect(await objectsOf(domain)).toEqual([]);
});
