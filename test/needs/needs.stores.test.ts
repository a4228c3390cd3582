import { expect, test } from 'vitest';
import { readPlans } from '../../src/features/accounts/plans.ts';
import type { Domain } from '../../src/features/domains/domain.ts';
import { listDomainNeeds, listNeeds } from '../../src/features/needs/list-needs.ts';
import type { Need } from '../../src/features/needs/need.ts';
import { unreachableMessage } from '../../src/features/page-hosts/unreachable-message.ts';
import { Attempt } from '../../src/features/uploads/attempt.ts';
import { insertAttempt } from '../../src/features/uploads/attempt-store.ts';
import { expectUploads, judgeFreshness } from '../../src/features/uploads/freshness/expect-uploads.ts';
import { newId } from '../../src/platform/ids.ts';
import { addAccount, addDomain, addVerifiedDomain } from '../support/accounts.ts';
import { createUploadFixture, DAY_MS } from '../uploads/upload-fixture.ts';

const fixture = await createUploadFixture();
const { database } = fixture;
const { business } = readPlans();

const urls = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ loc: `https://example.com/${n}` }));
const needsOf = async (account: string, plan = business) => (await listNeeds(database, account, plan)).needs;
const titlesOf = async (account: string) => (await needsOf(account)).map(({ title }) => title);
const only = async (account: string): Promise<Need> => {
  const needs = await needsOf(account);
  expect(needs).toHaveLength(1);
  return needs[0]!;
};
const set = ({ id }: Pick<Domain, 'id'>, columns: string) =>
  database.query(`UPDATE domains SET ${columns} WHERE id = $1`, [id]);
const addActive = async (account: string) => {
  const domain = await addVerifiedDomain(database, account);
  await set(domain, `status = 'active', ssl_status = 'active'`);
  return domain;
};
const addCertificate = ({ id, accountId, hostname }: Domain, columns: string, values: string) =>
  database.query(
    `INSERT INTO certificates (account_id, hostname, domain_id, ${columns}) VALUES ($1, $2, $3, ${values})`,
    [accountId, hostname, id],
  );
const setCertificate = ({ id }: Domain, columns: string) =>
  database.query(`UPDATE certificates SET ${columns} WHERE domain_id = $1`, [id]);
const setHost = (domain: Domain, origin: string, state: string, urlCount: number, message = '') =>
  database.query(
    `WITH counted AS (
       INSERT INTO page_url_counts (domain_id, sitemap_name, origin, url_count) VALUES ($1, '', $3, $5)
       ON CONFLICT (domain_id, sitemap_name, origin) DO UPDATE SET url_count = $5)
     INSERT INTO page_hosts (domain_id, account_id, origin, state, message) VALUES ($1, $2, $3, $4, $6)
     ON CONFLICT (domain_id, origin) DO UPDATE SET state = $4, message = $6`,
    [domain.id, domain.accountId, origin, state, urlCount, message],
  );
/** The upload of a client that sends nonsense. */
async function refuse(domain: Domain, sitemapName: string, outcome: 'refused' | 'failed' = 'refused') {
  const attempt = new Attempt(newId('upload'), {
    encoding: null,
    userAgent: null,
    keyId: null,
    userId: null,
  });
  attempt.domain = domain;
  attempt.sitemapName = sitemapName;
  await insertAttempt(database, attempt.end(outcome, undefined)!);
  return attempt.id;
}
const publish = (domain: Domain, sitemapName: string | undefined, count = 1) =>
  fixture.upload(domain.accountId, {
    domain: domain.hostname,
    ...(sitemapName && { sitemapName }),
    urls: urls(count),
  });
/** An upload that the guard holds. Returns its id. */
async function hold(domain: Domain, sitemapName: string | undefined, count: number): Promise<string> {
  const error = await publish(domain, sitemapName, count).then(
    () => expect.fail('it was published'),
    (refusal) => refusal,
  );
  expect(error.heldUploadId).toMatch(/^upload_/);
  return error.heldUploadId;
}

test('an account where all is well needs nobody', async () => {
  const account = await addAccount(database);
  await publish(await addActive(account), 'sale');
  await addDomain(database, account);
  expect(await listNeeds(database, account, business)).toEqual({ needs: [], counts: {} });
});

test('a held upload says what it would remove, until it is published, discarded, or a newer one is published', async () => {
  const account = await addAccount(database);
  const domain = await addActive(account);
  await publish(domain, 'sale', 5000);
  const first = await hold(domain, 'sale', 100);
  const second = await hold(domain, 'sale', 100);
  const need = await only(account);
  expect(need).toMatchObject({
    kind: 'heldUpload',
    domain: { id: domain.id, hostname: domain.hostname },
    sitemapName: 'sale',
    uploadId: second,
    title: '“sale” would lose 4,900 of its 5,000 URLs',
    severity: 'waiting',
    target: 'upload',
  });
  expect(need.detail).toBe(`${domain.hostname} · Upload by Test, held until you decide`);
  expect(need.deadline!.getTime() - need.since!.getTime()).toBe(DAY_MS);
  await fixture.publishHeld(account, second, { force: true });
  expect(await titlesOf(account)).toEqual([]);
  expect(first).not.toBe(second);

  const other = await addActive(account);
  await publish(other, undefined, 2000);
  await hold(other, undefined, 1);
  expect((await only(account)).title).toBe('“default” would lose 1,999 of its 2,000 URLs');
  await publish(other, undefined, 1999);
  expect(await titlesOf(account)).toEqual([]);
  await fixture.delta(account, { domain: other.hostname, upsert: [{ loc: 'https://example.com/later' }] });
  expect(await titlesOf(account)).toEqual([]);
  const third = await hold(other, undefined, 1);
  expect(await titlesOf(account)).toHaveLength(1);
  await database.query(`UPDATE garbage SET collect_after = now() WHERE prefix = 'uploads/' || $1 || '/'`, [
    third,
  ]);
  expect(await titlesOf(account)).toEqual([]);
});

test('robots.txt that cannot be read, blocks, or lacks the line; hosts with one fault are one need', async () => {
  const account = await addAccount(database);
  const domain = await addActive(account);
  await publish(domain, undefined);
  const why = unreachableMessage('https://www.acme.example/robots.txt', 'the status is 503');
  await setHost(domain, 'https://www.acme.example', 'unreachable', 12_480, why);
  await setHost(domain, 'https://shop.acme.example', 'unreachable', 5, why);
  await setHost(domain, 'https://fine.acme.example', 'found', 99);
  await setHost(domain, 'https://new.acme.example', 'unchecked', 99);
  expect(await only(account)).toMatchObject({
    kind: 'robotsUnreadable',
    title: "www.acme.example/robots.txt can't be read",
    detail: 'It returns 503. Until it works, crawlers ignore all 12,480 URLs. 1 more host has the same fault',
    target: 'robots',
    severity: 'bad',
  });
  await setHost(domain, 'https://shop.acme.example', 'disallowed', 5);
  await setHost(domain, 'https://www.acme.example', 'partly', 12_480);
  await setHost(domain, 'https://other.acme.example', 'missing', 1);
  const { needs, counts } = await listNeeds(database, account, business);
  expect(needs.map(({ title, detail }) => `${title} · ${detail}`).sort()).toEqual([
    'shop.acme.example/robots.txt blocks crawlers · Crawlers read the sitemaps, but may not open all 5 URLs',
    'www.acme.example/robots.txt lacks the line of some sitemaps · Until it names all your sitemaps, crawlers ignore some of 12,480 URLs. 1 more host has the same fault',
  ]);
  expect(counts).toEqual({ robotsBlocks: 1, robotsLineMissing: 1 });
  await setHost(domain, 'https://shop.acme.example', 'found', 5);
  await setHost(domain, 'https://www.acme.example', 'found', 12_480);
  expect((await only(account)).detail).toBe('Until it names your sitemap, crawlers ignore its URL');
  // Crawlers cannot read the sitemaps of a domain that is not served.
  await set(domain, `status = 'pending_verification'`);
  expect(await titlesOf(account)).toEqual([]);
});

test('DNS that leads elsewhere: a domain that waits, is in doubt, has moved, or has failed', async () => {
  const account = await addAccount(database);
  const domain = await addDomain(database, account, 'sitemaps.legacy.example');
  const cname = [{ type: 'CNAME', name: domain.hostname, value: 'shops.example.net' }];
  const wrong = (found: object) =>
    set(domain, `checked_at = now(), dns_problem = 'x', dns_found = '${JSON.stringify(found)}'`);
  await wrong([]);
  expect(await titlesOf(account)).toEqual([]);
  await wrong(cname);
  const waiting = await only(account);
  expect(waiting).toMatchObject({
    kind: 'dns',
    title: 'sitemaps.legacy.example points to shops.example.net',
    detail: 'The CNAME record needs another value',
    state: 'DNS: wrong target',
    severity: 'waiting',
    target: 'dns',
  });
  expect(waiting.deadline!.getTime() - waiting.since!.getTime()).toBe(30 * DAY_MS);
  await wrong([{ type: 'A', name: domain.hostname, value: '192.0.2.7' }]);
  expect(await only(account)).toMatchObject({
    title: 'sitemaps.legacy.example points to 192.0.2.7',
    detail: 'If a website answers there, leave its DNS alone and use another hostname',
  });
  await wrong([]);
  await set(domain, `created_at = created_at - interval '2 days'`);
  expect((await only(account)).title).toBe("sitemaps.legacy.example doesn't point to Waypost yet");
  await set(domain, `status = 'verified', dns_problem = NULL`);
  expect(await titlesOf(account)).toEqual([]);
  await wrong(cname);
  await set(domain, 'wrong_checks = 1, wrong_since = now()');
  expect(await only(account)).toMatchObject({ severity: 'bad', deadline: null });
  await set(domain, 'wrong_checks = 3, moved_at = now()');
  const moved = await only(account);
  expect(moved.deadline!.getTime() - moved.since!.getTime()).toBeGreaterThanOrEqual(7 * DAY_MS);
  await set(domain, `status = 'failed'`);
  expect(await only(account)).toMatchObject({
    title: "sitemaps.legacy.example isn't served any more",
    deadline: null,
  });
  await set(domain, `status = 'verified', wrong_checks = 0, wrong_since = NULL, moved_at = NULL`);
  expect(await titlesOf(account)).toEqual([]);
});

test.each([
  [
    'wrong_target',
    'points to shops.example.net',
    'The CNAME record needs another value',
    'DNS: wrong target',
  ],
  [
    ...['domain_added', 'points to shops.example.net'],
    ...['Your provider added your domain. End the value with a dot', 'DNS: wrong target'],
  ],
  [
    ...['website', 'looks like a website'],
    ...["Don't change its DNS. Use maps.judged.example for your sitemaps", 'Looks like a website'],
  ],
  ['no_answer', undefined],
  ['not_found', undefined],
])('DNS that is judged as %s', async (...[state, problem, detail, shown]) => {
  const account = await addAccount(database);
  const domain = await addDomain(database, account, 'sitemaps.judged.example');
  const judgement = {
    state,
    zone: 'judged.example',
    nameServers: [],
    ours: [],
    foreign: [],
    hasProof: false,
  };
  const found = [{ type: 'CNAME', name: domain.hostname, value: 'shops.example.net' }];
  await database.query(
    `UPDATE domains SET dns_problem = 'x', dns_judgement = $2, dns_found = $3 WHERE id = $1`,
    [
      domain.id,
      JSON.stringify({ ...judgement, wildcard: null, caa: 'unknown', authority: null }),
      JSON.stringify(found),
    ],
  );
  if (problem === undefined) {
    // A new domain has a day.
    expect(await titlesOf(account)).toEqual([]);
    await set(domain, `created_at = created_at - interval '25 hours'`);
    expect(await titlesOf(account)).toHaveLength(1);
    return;
  }
  expect(await only(account)).toMatchObject({ title: `${domain.hostname} ${problem}`, detail, state: shown });
});

test('a hostname of another account is one need, not two, and its holder has none', async () => {
  const [account, holder] = [await addAccount(database), await addAccount(database)];
  const domain = await addDomain(database, account, 'sitemaps.taken.example');
  const found = JSON.stringify([{ type: 'CNAME', name: domain.hostname, value: 'elsewhere.example' }]);
  await set(domain, `dns_problem = 'x', dns_found = '${found}'`);
  const held = await addDomain(database, holder, domain.hostname);
  await set(held, `status = 'active'`);
  expect(await only(account)).toMatchObject({
    kind: 'hostnameTaken',
    title: 'sitemaps.taken.example is in use by another account',
    severity: 'waiting',
  });
  expect(await titlesOf(holder)).toEqual([]);
  await set(held, `status = 'failed'`);
  expect((await only(account)).kind).toBe('dns');
});

test('a certificate that cannot be had or renewed, or that ends soon', async () => {
  const account = await addAccount(database);
  const domain = await addVerifiedDomain(database, account);
  const [title] = [`${domain.hostname} has no certificate`];
  await addCertificate(domain, 'last_error', `'No authority answers.'`);
  expect(await titlesOf(account)).toEqual([]);
  await setCertificate(domain, `failures = 2, failing_since = now(), last_error = 'CAA forbids it.'`);
  expect(await only(account)).toMatchObject({
    title,
    detail: 'CAA forbids it',
    severity: 'bad',
    deadline: null,
  });
  await set(domain, `status = 'failed', ssl_status = 'failed'`);
  expect(await only(account)).toMatchObject({ kind: 'certificate', title });
  await set(domain, `status = 'active'`);
  const until = (notBefore: number, notAfter: number) =>
    `not_before = now() + interval '${notBefore} days', not_after = now() + interval '${notAfter} days 1 hour'`;
  await setCertificate(domain, until(-60, 29));
  expect(await only(account)).toMatchObject({
    title: `The certificate of ${domain.hostname} can't be renewed`,
    severity: 'waiting',
  });
  await setCertificate(domain, until(-84, 6));
  const ending = await only(account);
  expect(ending).toMatchObject({
    title: `The certificate of ${domain.hostname} expires in 6 days`,
    severity: 'bad',
  });
  expect(ending.state).toBe('Certificate expires in 6 days');
  await setCertificate(domain, `failures = 0, last_error = NULL`);
  expect((await only(account)).detail).toBe('Its renewal is late');
  // A certificate of a week is in the middle of its life.
  await setCertificate(domain, until(-3, 3));
  expect(await titlesOf(account)).toEqual([]);
  await setCertificate(domain, `${until(-84, 6)}, failures = 1`);
  await set(domain, 'wrong_checks = 1');
  expect((await only(account)).kind).toBe('dns');
});

test('three refused uploads of a sitemap in a row', async () => {
  const account = await addAccount(database);
  const domain = await addActive(account);
  await publish(domain, 'catalogue');
  await refuse(domain, 'catalogue');
  await refuse(domain, 'catalogue');
  await refuse(domain, 'catalogue', 'failed');
  await refuse(domain, 'other');
  expect(await titlesOf(account)).toEqual([]);
  const uploadId = await refuse(domain, 'catalogue');
  const need = await only(account);
  expect(need).toMatchObject({
    kind: 'uploadsRefused',
    ...{ sitemapName: 'catalogue', uploadId, target: 'upload', severity: 'bad' },
    title: '“catalogue” was refused three times in a row',
    state: 'Refused three times',
  });
  expect(need.detail).toMatch(
    new RegExp(`^${domain.hostname} · Crawlers still get the version from \\d+ \\w+$`),
  );
  await refuse(domain, 'catalogue');
  expect((await only(account)).title).toBe('“catalogue” was refused 4 times in a row');
  await publish(domain, 'catalogue', 2);
  expect(await titlesOf(account)).toEqual([]);
  // The count begins again.
  await refuse(domain, 'catalogue');
  await refuse(domain, 'catalogue');
  expect(await titlesOf(account)).toEqual([]);
  for (let n = 0; n < 3; n++) await refuse(domain, '');
  expect(await only(account)).toMatchObject({
    title: '“default” was refused three times in a row',
    detail: `${domain.hostname} · Nothing is published there yet`,
  });
});

test('a client that makes up names leaves at most 1,000 of them, and old ones make room', async () => {
  const account = await addAccount(database);
  const domain = await addActive(account);
  await database.query(
    `INSERT INTO refused_uploads (domain_id, sitemap_name, account_id, times, attempt_id)
     SELECT $1, 'name' || n, $2, 1, 'upload_x' FROM generate_series(1, 999) AS n`,
    [domain.id, account],
  );
  const count = async () =>
    (await database.query('SELECT count(*) AS count FROM refused_uploads WHERE domain_id = $1', [domain.id]))
      .rows[0].count;
  for (const name of ['one', 'two', 'three']) await refuse(domain, name);
  expect(await count()).toBe(1000);
  await refuse(domain, 'one');
  await refuse(domain, 'one');
  expect(await titlesOf(account)).toHaveLength(1);
  await database.query(
    `UPDATE refused_uploads SET last_at = now() - interval '8 days' WHERE domain_id = $1 AND sitemap_name LIKE 'name%'`,
    [domain.id],
  );
  await refuse(domain, 'two');
  expect(await count()).toBe(2);
});

test('a plan that is nearly full: domains, URLs of one upload, storage', async () => {
  const account = await addAccount(database);
  const domain = await addActive(account);
  await publish(domain, 'big', 90);
  await database.query('UPDATE domains SET stored_bytes = 95 WHERE id = $1', [domain.id]);
  const plan = { ...business, domains: 10, urlsPerUpload: 100, storedBytes: 100 };
  const domains = async () => (await needsOf(account, plan)).map(({ title }) => title);
  expect(await domains()).toEqual(['“big” has 90 of 100 URLs', '95% of your storage is used']);
  for (let n = 0; n < 8; n++) await addDomain(database, account);
  expect((await domains())[0]).toBe('9 of 10 domains are used');
  expect((await listNeeds(database, account, plan)).counts).toEqual({
    planDomains: 1,
    planUrls: 1,
    planStorage: 1,
  });
  expect(await needsOf(account, { ...plan, domains: 9, urlsPerUpload: 101, storedBytes: 1000 })).toEqual([]);
});

test('the order: the nearest deadline of two weeks, then what is bad, then what waits, the newest first', async () => {
  const account = await addAccount(database);
  const add = async (name: string, columns: string, found?: string) => {
    const domain = await addDomain(database, account, `${name}.order.example`);
    const records = JSON.stringify(found ? [{ type: 'CNAME', name: domain.hostname, value: found }] : []);
    await set(domain, `dns_problem = 'x', dns_found = '${records}', ${columns}`);
  };
  const served = (days: number) =>
    `status = 'verified', wrong_checks = 1, wrong_since = now() - interval '${days} days'`;
  await add('old', `created_at = now() - interval '3 days'`, 'elsewhere.example');
  await add('new', `created_at = now() - interval '1 hour'`, 'elsewhere.example');
  await add('bad-old', served(5));
  await add('bad-new', served(1));
  await add('soon', `created_at = now() - interval '29 days'`, 'elsewhere.example');
  await add('sooner', `${served(6)}, moved_at = now() - interval '6.5 days'`);
  const order = (await needsOf(account)).map(({ domain }) => domain!.hostname.replace('.order.example', ''));
  expect(order).toEqual(['sooner', 'soon', 'bad-new', 'bad-old', 'new', 'old']);
});

test('at most a hundred needs, with counts of all, and those of one domain', async () => {
  const account = await addAccount(database);
  await database.query(
    `INSERT INTO domains (id, account_id, hostname, status, ssl_status, cname_target, wrong_checks)
     SELECT 'needy_' || n, $1, 'n' || n || '.many.example', 'verified', 'active', 'target', 1 FROM generate_series(1, 250) AS n`,
    [account],
  );
  const { needs, counts } = await listNeeds(database, account, { ...business, domains: 1000 });
  expect(needs).toHaveLength(100);
  expect(counts).toEqual({ dns: 250 });
  const one = await listDomainNeeds(database, account, ['needy_7']);
  expect(one.needs.map(({ domain }) => domain?.id)).toEqual(['needy_7']);
  expect(one.counts).toEqual({ dns: 1 });
  // Another account sees nothing, also if it names the domain.
  const other = await addAccount(database);
  expect(await needsOf(other)).toEqual([]);
  expect(await listDomainNeeds(database, other, ['needy_7'])).toEqual({ needs: [], counts: {} });
});

test('a sitemap whose upload is late needs somebody until the next upload', async () => {
  const account = await addAccount(database);
  const domain = await addActive(account);
  await publish(domain, 'sale');
  const nothing = async () => {};
  await expectUploads(database, { domainId: domain.id, sitemapName: 'sale' }, 24, nothing, nothing);
  await database.query(
    `UPDATE sitemaps SET fresh_until = now() - interval '1 hour', updated_at = '2026-01-15' WHERE domain_id = $1`,
    [domain.id],
  );
  await database.query(
    `INSERT INTO looks VALUES ('freshness', now(), now()) ON CONFLICT (name) DO UPDATE SET at = now(), settled_at = now()`,
  );
  expect(await needsOf(account)).toEqual([]);
  await judgeFreshness(database);
  expect(await only(account)).toMatchObject({
    ...{ kind: 'sitemapStale', sitemapName: 'sale', uploadId: null, severity: 'bad', target: 'sitemap' },
    title: '“sale” is late',
    detail: expect.stringMatching(
      / · An upload is expected every day\. Crawlers still get the version from 15 Jan$/,
    ),
  });
  await publish(domain, 'sale', 2);
  expect(await needsOf(account)).toEqual([]);
});
