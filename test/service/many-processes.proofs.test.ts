/** Issue "Nothing is lost", item 2: every promise holds exactly over any number of processes. */
import { afterAll, expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { crawl, fetchFile, fetchLocs } from './support/crawler.ts';
import { type ApiAnswer, type Customer, createCustomer, customerWith } from './support/customer.ts';
import { bulkyAt, entries, entryAt, uploadDocument } from './support/entries.ts';
import { storedObjects } from './support/store.ts';
import { startTwoOfEach } from './support/two-of-each.ts';
import { cli } from './support/waypost.ts';

/** A change must be visible everywhere after this time. */
const LAG_MS = 2_000;
const REQUESTS_PER_MINUTE = 40;
const URLS_PER_UPLOAD = 1_500;
const UPLOADS_PER_ACCOUNT = 20;
const PLANS = JSON.stringify({
  free: { requestsPerMinute: REQUESTS_PER_MINUTE },
  starter: { requestsPerMinute: 10_000, urlsPerUpload: URLS_PER_UPLOAD },
  pro: { requestsPerMinute: 10_000, domains: 5 },
});

const many = await startTwoOfEach({ PLANS, UPLOADS_PER_ACCOUNT: String(UPLOADS_PER_ACCOUNT) });
const { sides, dataDir } = many;
afterAll(async () => {
  await many[Symbol.asyncDispose]();
  expect(many.stderr()).toBe('');
});

/** One customer as a client of each side. */
async function createClients(plan?: string): Promise<readonly [Customer, Customer]> {
  const first = await createCustomer(sides[0], plan);
  return [first, customerWith(sides[1], first.accountId, first.key)];
}

/** Sends this many requests at once, alternating between the two sides. */
function allAtOnce(
  count: number,
  clients: readonly [Customer, Customer],
  ask: (client: Customer, n: number) => Promise<ApiAnswer>,
): Promise<ApiAnswer[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => ask(clients[n % 2 ? 1 : 0], n)));
}

const withStatus = (answers: readonly ApiAnswer[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

test('spec D12 exactly the limit of many requests at once to both APIs is let through', async () => {
  const clients = await createClients('free');
  const answers = await allAtOnce(2 * REQUESTS_PER_MINUTE, clients, (client) =>
    client.call('GET /api/domains'),
  );
  expect(withStatus(answers, 200)).toBe(REQUESTS_PER_MINUTE);
  expect(withStatus(answers, 429)).toBe(REQUESTS_PER_MINUTE);
  // Every request is counted exactly once.
  const remaining = answers.filter(({ status }) => status === 200).map(({ headers }) => headers);
  expect(remaining.map((headers) => Number(headers['ratelimit-remaining'])).sort((a, b) => a - b)).toEqual(
    Array.from({ length: REQUESTS_PER_MINUTE }, (_, left) => left),
  );
});

test('spec D11 exactly one of 50 domains at once is created by an account one below its limit', async () => {
  const clients = await createClients('pro');
  for (const n of [1, 2, 3, 4]) await clients[n % 2 ? 1 : 0].createDomain();
  const answers = await allAtOnce(50, clients, (client, n) =>
    client.call('POST /api/domains', {
      body: { hostname: `maps-${n}.${client.accountId.slice(-8)}.example.com` },
    }),
  );
  expect(withStatus(answers, 201)).toBe(1);
  expect(withStatus(answers, 422)).toBe(49);
  for (const { json } of (
    await Promise.all(clients.map((client) => client.call('GET /api/domains')))
  ).values()) {
    expect(json.data).toHaveLength(5);
  }
});

test('4.1 50 requests at once from two accounts register a hostname once for each', async () => {
  const [first] = await createClients('enterprise');
  const [, second] = await createClients('enterprise');
  const answers = await allAtOnce(50, [first, second], (client) =>
    client.call('POST /api/domains', { body: { hostname: 'maps.wanted.example.com' } }),
  );
  expect(withStatus(answers, 201)).toBe(2);
  expect(withStatus(answers, 409)).toBe(48);
});

test('8 both APIs keep the URL budget exactly for any number of uploads at once', async () => {
  const clients = await createClients('starter');
  const { hostname } = await clients[0].verifiedDomain();
  const answers = await allAtOnce(20, clients, (client, n) =>
    client.upload({
      domain: hostname,
      sitemapName: `n${n}`,
      // On each side, one upload of each pair is over the budget.
      urls: entries(URLS_PER_UPLOAD + (n % 4 < 2 ? 0 : 1)),
    }),
  );
  for (const [n, { status }] of answers.entries()) {
    expect({ n, status }).toEqual({ n, status: n % 4 < 2 ? 200 : 422 });
  }
});

test('docs/decisions/0014 exactly the limit of an account is accepted of too many uploads at once to both APIs', async () => {
  const clients = await createClients('enterprise');
  const { hostname } = await clients[0].verifiedDomain();
  const everyoneCame = Promise.withResolvers<void>();
  async function* held(n: number) {
    const document = Array.from(uploadDocument({ domain: hostname, sitemapName: `n${n}` }, 5));
    yield* document.slice(0, -1);
    await everyoneCame.promise;
    yield document.at(-1)!;
  }
  let refused = 0;
  const answering = allAtOnce(UPLOADS_PER_ACCOUNT + 10, clients, async (client, n) => {
    const answer = await client.upload(held(n));
    if (answer.status === 429) refused += 1;
    return answer;
  });
  await vi.waitFor(() => expect(refused).toBe(10), SOON).finally(everyoneCame.resolve);
  expect(withStatus(await answering, 200)).toBe(UPLOADS_PER_ACCOUNT);
});

/** The numbers in the URLs that a hosting process serves for the domain: `https://www.example.com/<upload>/<n>`. */
async function servedBy(side: (typeof sides)[number], hostname: string): Promise<string[]> {
  const served: string[] = [];
  for await (const { xml } of crawl(side, hostname)) {
    for (const [, url = ''] of xml.matchAll(/<loc>https:\/\/www\.example\.com\/(.*?)<\/loc>/g))
      served.push(url);
  }
  return served;
}

test('spec D8 uploads to one sitemap at once through both APIs end as one whole upload on both hosting processes', async () => {
  const clients = await createClients('enterprise');
  const { hostname, id } = await clients[0].verifiedDomain();
  for (const round of [1, 2, 3]) {
    // Each upload has its own length, so the API's count tells which one is live.
    const countOf = (n: number) => 1500 + 1000 * (n % 3) + n;
    const answers = await allAtOnce(10, clients, (client, n) =>
      client.upload({
        domain: hostname,
        sizeLimit: 'gsc-optimized',
        force: true,
        urls: entries(countOf(n), (i) => ({ loc: `https://www.example.com/${round}-${n}/${i}` })),
      }),
    );
    expect(withStatus(answers, 200)).toBe(10);
    const { urlCount } = (await clients[1].call(`GET /api/domains/${id}`)).json.data;
    const live = answers.findIndex((_, n) => countOf(n) === urlCount);
    expect(live).toBeGreaterThanOrEqual(0);
    const whole = Array.from({ length: urlCount }, (_, i) => `${round}-${live}/${i}`);
    for (const side of sides) {
      await vi.waitFor(async () => {
        const served = await servedBy(side, hostname);
        expect(served.length).toBe(whole.length);
        expect(served.every((url, i) => url === whole[i])).toBe(true);
      }, SOON);
    }
  }
});

test('5 both APIs refuse a key after its revocation', async () => {
  const clients = await createClients('enterprise');
  const { stdout: list, id } = await findKeyId(clients[0]);
  expect(list).toContain(id);
  for (const client of clients) expect((await client.call('GET /api/domains')).status).toBe(200);
  await cli(dataDir, 'key', 'revoke', id);
  const answers = await allAtOnce(20, clients, (client) => client.call('GET /api/domains'));
  expect(withStatus(answers, 401)).toBe(20);
});

async function findKeyId({ accountId }: Customer) {
  const stdout = await cli(dataDir, 'key', 'list', accountId);
  return { stdout, id: /key_\w+/.exec(stdout)![0] };
}

test('4.4 a domain deleted through one API disappears from both hosting processes within 2 s', async () => {
  const clients = await createClients('enterprise');
  const { hostname, id } = await clients[0].verifiedDomain();
  await clients[0].publish({ domain: hostname, urls: entries(5) });
  for (const side of sides) {
    await vi.waitFor(
      async () => expect(await fetchLocs(side, hostname, '/sitemap.xml')).toHaveLength(5),
      SOON,
    );
  }
  expect((await clients[1].call(`DELETE /api/domains/${id}`)).status).toBe(200);
  const deletedAt = performance.now();
  const isGoneFrom = async (side: (typeof sides)[number]) => {
    for (;;) {
      const began = performance.now();
      const { status } = await fetchFile(side, hostname, '/sitemap.xml');
      if (status === 404) return;
      expect(status).toBe(200);
      expect(began - deletedAt).toBeLessThan(LAG_MS);
    }
  };
  await Promise.all(sides.map(isGoneFrom));
  for (const side of sides) {
    for (const path of ['/sitemap.xml', '/sitemap-index.xml']) {
      expect((await fetchFile(side, hostname, path)).status).toBe(404);
    }
  }
  expect((await clients[0].call(`GET /api/domains/${id}`)).status).toBe(404);
});

// Keep this test last: it ends one of the processes.
test('an API process that is killed during an upload leaves the old content, and the other process continues', async () => {
  const clients = await createClients('enterprise');
  const { hostname } = await clients[0].verifiedDomain();
  await clients[0].publish({ domain: hostname, urls: entries(5) });
  const before = (await storedObjects(dataDir, 'uploads/')).length;
  async function* cutShort() {
    yield* Array.from(uploadDocument({ domain: hostname, sizeLimit: 'gsc-optimized' }, 9000, bulkyAt)).slice(
      0,
      -1,
    );
    await expect
      .poll(async () => (await storedObjects(dataDir, 'uploads/')).length)
      .toBeGreaterThan(before + 3);
    sides[0].api.kill('SIGKILL');
    await new Promise(() => {});
  }
  await expect(clients[0].upload(cutShort())).rejects.toThrow();
  await sides[0].api.exited;

  for (const side of sides) {
    expect(await fetchLocs(side, hostname, '/sitemap.xml')).toEqual(entries(5).map((_, n) => entryAt(n).loc));
  }
  const data = await clients[1].publish({
    domain: hostname,
    sizeLimit: 'gsc-optimized',
    urls: entries(2500),
  });
  expect(data).toMatchObject({ urlCount: 2500, filesGenerated: 3 });
  for (const side of sides) {
    await vi.waitFor(async () => expect(await servedBy(side, hostname)).toHaveLength(2500), SOON);
  }
});
