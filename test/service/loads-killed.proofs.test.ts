/** A load survives the process that works on it: another one goes on, and reads no finished object again. */
import { afterAll, expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { indexOf, serveObject, sitemapOf, startSourceHost } from '../support/source-host.ts';
import { fetchLocs } from './support/crawler.ts';
import { createCustomer, customerWith } from './support/customer.ts';
import { startTwoOfEach } from './support/two-of-each.ts';

const OBJECTS = 30;
/** These are read when the process is killed. */
const READ = 10;

const many = await startTwoOfEach({ OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8' });
const host = await startSourceHost();
afterAll(async () => {
  await host[Symbol.asyncDispose]();
  await many[Symbol.asyncDispose]();
  expect(many.stderr()).toBe('');
});

test('an API process is killed in the middle of a load', async () => {
  const [left, right] = many.sides;
  const { objects, origin, requests } = host;
  const names = Array.from({ length: OBJECTS }, (_, i) => `/${i}.xml`);
  objects.set('/index.xml', indexOf(...names.map((name) => origin + name)));
  // The first objects come at once. All others hang while the first process lives.
  let isAlive = true;
  for (const [i, name] of names.entries()) {
    const content = sitemapOf(`https://www.example.com/${i}/a`, `https://www.example.com/${i}/b`);
    host.behaviours.set(name, (request, response) => {
      if (i < READ || !isAlive) return serveObject(content, request, response);
      response.writeHead(200, { 'Content-Length': content.length, ETag: '"old"' });
      response.write(content.slice(0, 50));
    });
  }

  const first = await createCustomer(left);
  const domain = await first.verifiedDomain();
  // Stop this process, so that the other one gets the load.
  right.api.kill('SIGSTOP');
  const { json } = await first.call('POST /api/sitemap/load', {
    body: { domain: domain.hostname, sources: [`${origin}/index.xml`] },
  });
  const { uploadId } = json.data;
  const show = async (customer = first) => (await customer.call(`GET /api/uploads/${uploadId}`)).json.data;
  await vi.waitFor(async () => {
    expect((await show()).load.objects).toEqual({ total: OBJECTS, done: READ, skipped: 0 });
  }, SOON);
  isAlive = false;
  left.api.kill('SIGKILL');
  await left.api.exited;
  right.api.kill('SIGCONT');
  const survivor = customerWith(right, first.accountId, first.key);
  const ended = await vi.waitFor(async () => {
    const shown = await show(survivor);
    expect(shown.outcome).not.toBe('running');
    return shown;
  }, SOON);
  expect(ended).toMatchObject({ outcome: 'published', urlCount: 2 * OBJECTS, generation: 1 });
  expect(ended.load.objects).toEqual({ total: OBJECTS, done: OBJECTS, skipped: 0 });
  for (const name of names.slice(0, READ)) expect(requests.filter((path) => path === name)).toHaveLength(1);
  for (const name of names.slice(READ)) {
    expect(requests.filter((path) => path.split(' ')[0] === name).length).toBeLessThanOrEqual(2);
  }
  const locs = names.flatMap((_, i) => ['a', 'b'].map((page) => `https://www.example.com/${i}/${page}`));
  await vi.waitFor(
    async () => expect(await fetchLocs(right, domain.hostname, '/sitemap.xml')).toEqual(locs),
    SOON,
  );
});
