/** The outcomes of batches: each answer of the endpoint, time, budgets and lost objects. */
import { expect, test, vi } from 'vitest';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { collect } from '../support/collect.ts';
import { SOON } from '../support/soon.ts';
import { untilStatementWaits } from '../support/until-statement-waits.ts';
import { createSubmissionFixture } from './submission-fixture.ts';

const world = await createSubmissionFixture();
const { endpoint, pages, otherPages, outcomes, database, storage } = world;

const urlsOf = (origin: string, count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => `${origin}/page-${from + i}`);

/** A domain with changed URLs of the pages, whose key file is there. */
async function changedDomain(count = 3) {
  const domain = await world.addDomain();
  await world.listen(domain);
  const urls = urlsOf(pages.origin, count);
  const uploadId = await world.change(domain, ...urls);
  await world.putKey(domain, pages);
  return { domain, urls, uploadId };
}

test('changed URLs are submitted once their host has the key file, and an event says how many', async () => {
  const domain = await world.addDomain();
  await world.listen(domain);
  const urls = [...urlsOf(pages.origin, 3), ...urlsOf(otherPages.origin, 2)];
  const uploadId = await world.change(domain, ...urls);
  await world.putKey(domain, pages);
  await world.workOff();
  expect(endpoint.submissions).toEqual([{ host: pages.host, urls: urls.slice(0, 3), status: 200 }]);
  expect(await world.events(domain)).toEqual([]);
  expect(await world.hosts(domain)).toMatchObject([
    {
      host: pages.host,
      isVerified: true,
      problem: null,
      queued: 0,
      sentToday: 3,
      lastStatus: 200,
      pausedUntil: null,
    },
    { host: otherPages.host, isVerified: false, queued: 2, sentToday: 0, lastStatus: null },
  ]);
  await world.putKey(domain, otherPages);
  await world.pass(domain, 1);
  await world.workOff();
  expect(endpoint.accepted().sort()).toEqual(urls.sort());
  expect(endpoint.faults).toEqual([]);
  expect(await world.events(domain)).toEqual([
    {
      type: 'indexnow.completed',
      data: {
        ...{ domainId: domain.id, domain: domain.hostname, sitemapName: 'default', uploadId },
        ...{ urlsSubmitted: 5, urlsRefused: 0 },
      },
    },
  ]);
  expect(await world.batches(domain)).toEqual([]);
  expect(
    (await database.query('SELECT FROM indexnow_submissions WHERE domain_id = $1', [domain.id])).rowCount,
  ).toBe(0);
});

test('the objects of ended batches are garbage, and no others', async () => {
  const { domain } = await changedDomain();
  const [batch] = await world.batches(domain);
  expect(await world.garbage()).not.toContain(batch!.object);
  await world.workOff();
  expect(await world.garbage()).toContain(batch!.object);
});

test('202 is as good as 200', async () => {
  const { domain } = await changedDomain();
  endpoint.script({ status: 202 });
  await world.workOff();
  expect(outcomes).toEqual([['submitted', 3]]);
  expect(await world.hosts(domain)).toMatchObject([{ lastStatus: 202, sentToday: 3 }]);
});

test('after 400 the batch ends, an event says so, and later ones are submitted', async () => {
  const { domain } = await changedDomain();
  endpoint.script({ status: 400 });
  await world.workOff();
  expect(outcomes).toEqual([['failed', 3]]);
  expect(await world.events(domain)).toMatchObject([
    {
      type: 'indexnow.failed',
      data: { host: pages.host, urlCount: 3, message: expect.stringContaining('400') },
    },
  ]);
  await world.change(domain, `${pages.origin}/later`);
  await world.workOff();
  expect(endpoint.accepted()).toEqual([`${pages.origin}/later`]);
});

test('after 403 nothing is sent until the key file is found again', async () => {
  const { domain, urls } = await changedDomain();
  endpoint.script({ status: 403 });
  await world.workOff();
  expect(outcomes).toEqual([['unverified', 3]]);
  expect(await world.hosts(domain)).toMatchObject([
    {
      isVerified: false,
      problem: expect.stringContaining('.txt'),
      lastStatus: 403,
      pausedUntil: expect.any(Date),
    },
  ]);
  pages.files.clear();
  await world.pass(domain, 1);
  await world.workOff();
  expect(endpoint.submissions).toHaveLength(1);
  await world.putKey(domain, pages);
  await world.pass(domain, 24);
  await world.workOff();
  expect(endpoint.accepted()).toEqual(urls);
});

type Changed = Awaited<ReturnType<typeof changedDomain>>;

/** Works, after which the only host must wait for so long, to the minute, however slow this machine is. */
async function waitsAfterWork(domain: Changed['domain'], minutes: number): Promise<void> {
  const begunAt = Date.now();
  await world.workOff();
  const [host] = await world.hosts(domain);
  const until = host!.pausedUntil!.getTime();
  expect(until).toBeGreaterThan(begunAt + (minutes - 0.5) * 60_000);
  expect(until).toBeLessThan(Date.now() + (minutes + 0.5) * 60_000);
}

test('an endpoint that goes on to answer 403 is asked less and less often', async () => {
  const { domain } = await changedDomain();
  for (const minutes of [1, 5, 15, 60]) {
    endpoint.script({ status: 403 });
    await waitsAfterWork(domain, minutes);
    await world.pass(domain, 2);
  }
});

test('422 halves a batch until the bad URLs are alone, and only they are not submitted', async () => {
  const { domain, urls, uploadId } = await changedDomain(100);
  const bad = [urls[0]!, urls[77]!];
  for (const url of bad) endpoint.badUrls.add(url);
  await world.workOff();
  expect(endpoint.accepted().sort()).toEqual(urls.filter((url) => !bad.includes(url)).sort());
  expect(endpoint.submissions.length).toBeLessThan(35);
  expect(outcomes.filter(([outcome]) => outcome === 'refused')).toEqual([
    ['refused', 1],
    ['refused', 1],
  ]);
  expect(await world.events(domain)).toMatchObject([
    { type: 'indexnow.completed', data: { uploadId, urlsSubmitted: 98, urlsRefused: 2 } },
  ]);
  const objects = await collect(storage.list(`indexnow/${domain.id}/`));
  expect(objects).toHaveLength(1);
  expect(await world.garbage()).toContain(objects[0]!.key);
});

test('a host whose URLs are all refused costs few requests, says why, and goes on when they are accepted', async () => {
  const { domain, urls } = await changedDomain(10_000);
  for (const url of urls) endpoint.badUrls.add(url);
  await world.workOff();
  expect(endpoint.submissions.map((one) => one.urls.length)).toEqual([10_000, 5000, 5000, 2500, 1, 1, 1, 1]);
  expect(await world.hosts(domain)).toMatchObject([
    {
      isVerified: true,
      problem: expect.stringContaining('(422)'),
      queued: 9996,
      lastStatus: 422,
      pausedUntil: expect.any(Date),
    },
  ]);
  for (let hour = 0; hour < 5 * 24; hour++) {
    await world.workOff();
    await world.pass(domain, 1);
  }
  expect(endpoint.submissions.length).toBeLessThan(20);
  endpoint.badUrls.clear();
  await world.pass(domain, 24);
  await world.workOff();
  const refused = outcomes.filter(([outcome]) => outcome === 'refused').length;
  expect(endpoint.accepted()).toHaveLength(urls.length - refused);
  expect(await world.hosts(domain)).toMatchObject([{ problem: null, queued: 0, pausedUntil: null }]);
});

test('bad URLs all over a list use up the refused requests of a day, and newer changes go first', async () => {
  const { domain, urls } = await changedDomain(600);
  for (const [i, url] of urls.entries()) if (i % 2 === 1) endpoint.badUrls.add(url);
  await world.workOff();
  const refused = () => endpoint.submissions.filter(({ status }) => status === 422).length;
  expect(refused()).toBe(100);
  const [host] = await world.hosts(domain);
  expect(host!.problem).toContain('refused 100 requests');
  expect(host!.pausedUntil!.toISOString()).toMatch(/T00:00:00.000Z$/);
  // Whoever asks again spends no more.
  await database.query('UPDATE indexnow_hosts SET due_at = now() WHERE domain_id = $1', [domain.id]);
  await world.workOff();
  expect(refused()).toBe(100);
  await world.change(domain, `${pages.origin}/newer`);
  await world.pass(domain, 24);
  await database.query('UPDATE indexnow_hosts SET sent_on = sent_on - 1 WHERE domain_id = $1', [domain.id]);
  const before = endpoint.submissions.length;
  await world.workOff();
  const next = endpoint.submissions.slice(before).find(({ status }) => status === 200);
  expect(next?.urls).toEqual([`${pages.origin}/newer`]);
  expect(refused()).toBe(200);
});

test('the refused requests of an account stop its refused hosts, and no others', async () => {
  const { domain, urls } = await changedDomain(8);
  for (const url of urls) endpoint.badUrls.add(url);
  const other = await world.addDomain(domain.accountId);
  await world.change(other, `${otherPages.origin}/1`);
  await world.putKey(other, otherPages);
  await database.query(
    `INSERT INTO indexnow_refusals (account_id, refused_on, requests) VALUES ($1, (now() AT TIME ZONE 'UTC')::date, 999)`,
    [domain.accountId],
  );
  await world.workOff();
  expect(endpoint.submissions.filter(({ host }) => host === pages.host)).toHaveLength(1);
  expect((await world.hosts(domain))[0]!.problem).toContain('refused 1000 requests');
  expect(endpoint.accepted()).toEqual([`${otherPages.origin}/1`]);
});

test('small changes share a request, and a refused request is halved', async () => {
  const domain = await world.addDomain();
  const all = urlsOf(pages.origin, 130);
  for (const url of all) await world.change(domain, url);
  await world.putKey(domain, pages);
  endpoint.badUrls.add(all[110]!);
  await world.workOff();
  expect(endpoint.accepted().sort()).toEqual(all.filter((url) => !endpoint.badUrls.has(url)).sort());
  expect(endpoint.submissions.map((one) => one.urls.length).slice(0, 8)).toEqual([
    ...[130, 65, 65, 33, 32, 17, 16, 8],
  ]);
  expect(endpoint.submissions.length).toBeLessThan(18);
  expect(outcomes.filter(([outcome]) => outcome === 'refused')).toEqual([['refused', 1]]);
  expect(await world.batches(domain)).toEqual([]);
});

test('after many requests on a day, the pause is a minute', async () => {
  const { domain } = await changedDomain(1);
  await world.work((await world.take())[0]!);
  await database.query(
    `UPDATE indexnow_hosts SET sent_requests = 499, sent_on = (now() AT TIME ZONE 'UTC')::date WHERE domain_id = $1`,
    [domain.id],
  );
  await world.work((await world.take())[0]!, { pauseMs: 2000 });
  const { rows } = await database.query<{ seconds: number }>(
    'SELECT extract(epoch FROM due_at - last_submitted_at)::float8 AS seconds FROM indexnow_hosts WHERE domain_id = $1',
    [domain.id],
  );
  expect(rows).toEqual([{ seconds: 60 }]);
});

test.each([
  ['429 with seconds', { status: 429, headers: { 'Retry-After': '7200' } }, 120],
  [
    '429 with a date',
    () => ({ status: 429, headers: { 'Retry-After': new Date(Date.now() + 3_600_000).toUTCString() } }),
    60,
  ],
  ['429 with nonsense', { status: 429, headers: { 'Retry-After': 'soon' } }, 1],
  ['429 with a year', { status: 429, headers: { 'Retry-After': '31536000' } }, 24 * 60],
  ['429 with no time at all', { status: 429, headers: { 'Retry-After': '0' } }, 1],
  ['503', { status: 503 }, 1],
  ['a redirect', { status: 301, headers: { Location: 'http://127.0.0.1:1/' } }, 1],
  ['a reset', 'reset' as const, 1],
])('after %s the host waits, and its URLs are submitted later', async (_, scripted, minutes) => {
  const { domain, urls } = await changedDomain();
  const answer = typeof scripted === 'function' ? scripted() : scripted;
  endpoint.script(answer);
  await waitsAfterWork(domain, minutes);
  expect(outcomes).toEqual([['later', 3]]);
  expect((await world.hosts(domain))[0]).toMatchObject({
    isVerified: true,
    lastStatus: typeof answer === 'object' ? answer.status : null,
  });
  await world.pass(domain, 25);
  await world.workOff();
  expect(endpoint.accepted()).toEqual(urls);
});

test('without an answer in time, the URLs are submitted later', async () => {
  const { domain, urls } = await changedDomain();
  endpoint.script('hang');
  const hasty: typeof world.options.ask = (request) => world.options.ask({ ...request, timeoutMs: 5000 });
  await world.workOff({ ask: hasty });
  expect(outcomes).toEqual([['later', 3]]);
  await world.pass(domain, 1);
  await world.workOff();
  expect(endpoint.accepted()).toEqual(urls);
});

test('URLs that fail for seven days are given up, and an event says so', async () => {
  const { domain } = await changedDomain();
  for (let day = 0; day < 8; day++) {
    endpoint.script({ status: 500 });
    await world.workOff();
    await world.pass(domain, 24);
  }
  await world.workOff();
  expect(outcomes.at(-1)).toEqual(['expired', 3]);
  expect(await world.batches(domain)).toEqual([]);
  expect(await world.events(domain)).toMatchObject([{ type: 'indexnow.failed', data: { urlCount: 3 } }]);
});

test('URLs of a host without a key file wait for seven days, and checks come less and less often', async () => {
  const domain = await world.addDomain();
  await world.listen(domain);
  await world.change(domain, `${pages.origin}/1`);
  for (let hour = 0; hour < 8 * 24; hour++) {
    await world.workOff();
    await world.pass(domain, 1);
  }
  expect(pages.visits.length).toBeGreaterThan(7);
  expect(pages.visits.length).toBeLessThan(18);
  expect(outcomes).toEqual([['expired', 1]]);
  expect(await world.events(domain)).toMatchObject([{ type: 'indexnow.failed', data: { urlCount: 1 } }]);
  expect(endpoint.submissions).toEqual([]);
});

test('small changes of hours wait while the endpoint is down, and the oldest beyond ten million URLs are given up', async () => {
  const { domain, uploadId } = await changedDomain(1);
  endpoint.script({ status: 503 });
  await world.workOff();
  // The rows share an object, because ten thousand objects take long.
  const addBatches = (count: number, urlCount: number) =>
    database.query(
      `INSERT INTO indexnow_batches (submission_id, domain_id, host, object, first, url_count)
       SELECT submission_id, domain_id, host, object, 0, $3 FROM indexnow_batches, generate_series(1, $2)
        WHERE domain_id = $1 AND first = 0 AND id = (SELECT min(id) FROM indexnow_batches)`,
      [domain.id, count, urlCount],
    );
  await addBatches(5000, 1);
  await database.query('UPDATE indexnow_submissions SET batches_left = 5001 WHERE upload_id = $1', [
    uploadId,
  ]);
  await world.pass(domain, 1);
  await world.work((await world.take())[0]!);
  expect(outcomes.map(([outcome]) => outcome)).toEqual(['later', 'submitted']);
  expect(await world.batches(domain)).toHaveLength(4501);
  await addBatches(1001, 10_000);
  endpoint.script({ status: 503 });
  await world.work((await world.take())[0]!);
  expect(outcomes).toContainEqual(['expired', 10_000 + 4501]);
});

test('of a paused host that goes on to get changes, the oldest beyond ten thousand batches are given up within the hour', async () => {
  const { domain } = await changedDomain(1);
  endpoint.script({ status: 503, headers: { 'Retry-After': '80000' } });
  await world.workOff();
  await database.query(
    `INSERT INTO indexnow_batches (submission_id, domain_id, host, object, first, url_count)
     SELECT submission_id, domain_id, host, object, 0, 1 FROM indexnow_batches, generate_series(1, 16000) WHERE domain_id = $1`,
    [domain.id],
  );
  await database.query('UPDATE indexnow_submissions SET batches_left = 16001 WHERE domain_id = $1', [
    domain.id,
  ]);
  await world.pass(domain, 2);
  await world.workOff();
  expect(outcomes).toEqual([['later', 1]]);
  await world.change(domain, `${pages.origin}/newest`);
  await world.pass(domain, 1);
  await world.workOff();
  expect(outcomes.slice(1)).toEqual([['expired', 6002]]);
  expect(await world.events(domain)).toMatchObject([{ type: 'indexnow.failed', data: { urlCount: 6002 } }]);
  expect(await world.batches(domain)).toHaveLength(10_000);
  expect(endpoint.submissions).toHaveLength(1);
  const [host] = await world.hosts(domain);
  expect(host!.pausedUntil!.getTime()).toBeGreaterThan(Date.now() + 15 * 3_600_000);
  await world.pass(domain, 24);
  await world.work((await world.take())[0]!);
  expect(endpoint.accepted()).toContain(`${pages.origin}/newest`);
});

test('a pause that was begun by a clock that was ahead ends', async () => {
  const { domain, urls } = await changedDomain();
  await database.query(
    `UPDATE indexnow_hosts SET paused_until = now() + interval '1 year', due_at = now() WHERE domain_id = $1`,
    [domain.id],
  );
  await world.workOff();
  expect(endpoint.accepted()).toEqual(urls);
});

test('reads that take longer than the lease renew it, so nobody begins to read the same URLs', async () => {
  const { domain, urls } = await changedDomain();
  await world.work((await world.take())[0]!);
  const [host] = await world.take();
  const isRead = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const slow: typeof storage.get = async (...asked) => {
    isRead.resolve();
    await gate.promise;
    return storage.get(...asked);
  };
  const working = world.work(host!, { storage: { get: slow } });
  try {
    await isRead.promise;
    await database.query('UPDATE indexnow_hosts SET leased_until = now() WHERE domain_id = $1', [domain.id]);
    vi.advanceTimersByTime(15_000);
    await vi.waitFor(async () => {
      const { rowCount } = await database.query(
        'SELECT FROM indexnow_hosts WHERE domain_id = $1 AND leased_until > now()',
        [domain.id],
      );
      expect(rowCount, 'renewed leases').toBe(1);
    }, SOON);
    expect(await world.take()).toEqual([]);
  } finally {
    vi.useRealTimers();
    gate.resolve();
  }
  await working;
  expect(endpoint.accepted()).toEqual(urls);
});

test('the budget of a day is used up, and the rest waits for the next day', async () => {
  const { domain, urls } = await changedDomain(25);
  await world.workOff({ urlsPerDay: 10 });
  expect(endpoint.submissions.map((one) => one.urls)).toEqual([urls.slice(0, 10)]);
  const [host] = await world.hosts(domain);
  expect(host).toMatchObject({ queued: 15, sentToday: 10 });
  expect(host!.pausedUntil!.toISOString()).toMatch(/T00:00:00.000Z$/);
  for (const day of [1, 2]) {
    await world.pass(domain, 24);
    await database.query('UPDATE indexnow_hosts SET sent_on = sent_on - 1 WHERE domain_id = $1', [domain.id]);
    await world.workOff({ urlsPerDay: 10 });
    expect(endpoint.accepted()).toEqual(urls.slice(0, 10 + 10 * day));
  }
  expect(await world.events(domain)).toMatchObject([
    { type: 'indexnow.completed', data: { urlsSubmitted: 25 } },
  ]);
});

test('the newest changes go first, and one that failed goes after the others', async () => {
  const { domain } = await changedDomain(1);
  endpoint.script({ status: 503 });
  await world.workOff();
  await world.change(domain, `${pages.origin}/older`);
  await world.change(domain, `${pages.origin}/newer`);
  await world.pass(domain, 1);
  await world.workOff();
  expect(endpoint.accepted()).toEqual([
    `${pages.origin}/newer`,
    `${pages.origin}/older`,
    `${pages.origin}/page-0`,
  ]);
});

test('URLs that failed are submitted although newer changes come all the time', async () => {
  const { domain, urls } = await changedDomain(4);
  endpoint.badUrls.add(urls[3]!);
  endpoint.script({ status: 503 });
  await world.workOff();
  await world.pass(domain, 1);
  let newer = 0;
  while (endpoint.accepted().filter((url) => urls.includes(url)).length < 3) {
    expect(newer).toBeLessThan(30);
    await world.change(domain, `${pages.origin}/newer-${newer++}`);
    await world.work((await world.take())[0]!);
  }
  // Most requests are for the newer changes.
  expect(endpoint.accepted().filter((url) => !urls.includes(url)).length).toBeGreaterThan(newer / 2);
});

test('lost and damaged objects end as failed', async () => {
  const { domain } = await changedDomain();
  const [lost] = await world.batches(domain);
  await storage.deleteMany([lost!.object]);
  await world.workOff();
  await world.change(domain, `${pages.origin}/damaged`);
  const [damaged] = await world.batches(domain);
  await storage.put(damaged!.object, [Buffer.from('no gzip')]);
  await world.workOff();
  expect(outcomes).toEqual([
    ['failed', 3],
    ['failed', 1],
  ]);
  expect(endpoint.submissions).toEqual([]);
});

test('a store that fails ends nothing: the lease ends, and the URLs are submitted', async () => {
  const { domain, urls } = await changedDomain();
  const broken = { get: () => Promise.reject(new Error('the store is down')) };
  await expect(world.workOff({ storage: broken })).rejects.toThrow('the store is down');
  expect(await world.take()).toEqual([]);
  await world.pass(domain, 1);
  await world.workOff();
  expect(endpoint.accepted()).toEqual(urls);
});

test('a batch whose process died is sent once more, and not a third time', async () => {
  const { domain, urls } = await changedDomain();
  const dies: typeof world.options.ask = async (request) => {
    await world.options.ask(request);
    if (request.kind === 'url submission') throw new Error('dead');
    return world.options.ask(request);
  };
  for (let death = 1; death <= 2; death++) {
    await world.workOff({ ask: dies }).catch(() => {});
    await world.pass(domain, 1);
  }
  await world.workOff();
  expect(endpoint.accepted()).toEqual([...urls, ...urls]);
  expect(outcomes).toEqual([['failed', 3]]);
  expect(await world.events(domain)).toMatchObject([{ type: 'indexnow.failed', data: { urlCount: 3 } }]);
});

test('a worker that is late changes nothing', async () => {
  const { domain, urls } = await changedDomain();
  await world.work((await world.take())[0]!);
  const [late] = await world.take();
  await world.pass(domain, 1);
  const [next] = await world.take();
  await world.work(next!);
  await world.work(late!);
  expect(endpoint.accepted()).toEqual(urls);
});

test('several processes send one request at a time for each host', async () => {
  const domain = await world.addDomain();
  for (let n = 0; n < 6; n++) {
    await world.change(domain, ...urlsOf(pages.origin, 2, 2 * n), ...urlsOf(otherPages.origin, 2, 2 * n));
  }
  for (const host of [pages, otherPages]) await world.putKey(domain, host);
  const processes = Array.from({ length: 3 }, async () => {
    while ((await world.batches(domain)).length > 0)
      for (const host of await world.take()) await world.work(host);
  });
  await Promise.all(processes);
  expect(endpoint.mostAtOnce).toBe(1);
  expect(new Set(endpoint.accepted()).size).toBe(24);
});

test('a worker that finds nothing misses no batch that is committed meanwhile', async () => {
  const { domain } = await changedDomain(1);
  await world.workOff();
  await database.query('UPDATE indexnow_hosts SET due_at = now() WHERE domain_id = $1', [domain.id]);
  const [host] = await world.take();
  const outbox = (await world.openOutbox(world.comparisonOf(domain)))!;
  await outbox.add('added', [`${pages.origin}/meanwhile`]);
  await outbox.settle();
  const working = await inTransaction(database, async (transaction) => {
    await outbox.commit(transaction);
    const promise = world.work(host!);
    await untilStatementWaits(database);
    return { promise };
  });
  await working.promise;
  await world.workOff();
  expect(endpoint.accepted()).toContain(`${pages.origin}/meanwhile`);
});
