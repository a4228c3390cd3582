/**
 * Many clients change rows of one sitemap through two API processes, which are killed again and again. Each client knows what was
 * acknowledged: nothing of it is lost, and nothing else is published (docs/decisions/0058).
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, test, vi } from 'vitest';
import { freePort } from '../../tools/free-port.ts';
import { SOON } from '../support/soon.ts';
import { fetchEntries, fetchIndex } from './support/crawler.ts';
import { createCustomer, customerWith, type Domain } from './support/customer.ts';
import { bulkyAt } from './support/entries.ts';
import { serves, startProcess } from './support/processes.ts';
import { addressesOf, openBackend } from './support/separate-waypost.ts';
import { createFolder } from './support/waypost.ts';

const CLIENTS = 8;
const URLS_OF_CLIENT = 300;
const STEPS = 40;
const KILL_EVERY_MS = 1500;
/** A quiet run proves nothing. */
const MIN_KILLS = 4;

const scope = new AsyncDisposableStack();
afterAll(() => scope.disposeAsync());
const { path: dataDir } = scope.use(await createFolder());
const { settings, dns } = await openBackend(dataDir);
scope.use(dns);
const shared = {
  ...settings,
  PUBLIC_ORIGIN: 'http://{hostname}',
  PLANS: '{"enterprise":{"requestsPerMinute":1000000}}',
};
const hostingPort = await freePort();

/** An API process that can be killed. */
async function startApi() {
  const port = await freePort();
  const addresses = { dataDir, dns, ...addressesOf(port, hostingPort) };
  const start = () => startProcess('src/api-server.ts', { ...shared, API_PORT: String(port) });
  let process = start();
  scope.defer(async () => void (await process.stop()));
  await serves(process, addresses.apiUrl);
  return {
    addresses,
    async killAndRestart() {
      process.kill('SIGKILL');
      await process.exited;
      process = start();
      await serves(process, addresses.apiUrl);
    },
  };
}

const apis = [await startApi(), await startApi()] as const;
const { hostingUrl } = apis[0].addresses;
scope.use(startProcess('src/job-runner.ts', shared));
const hosting = scope.use(
  startProcess('src/hosting-server.ts', { ...shared, HOSTING_PORT: String(hostingPort), DATABASE_URL: '' }),
);
await serves(hosting, hostingUrl);

/** What may be published of a URL: the texts of `lastmod`, empty for an entry without one, and undefined if it may be missing. */
type Possible = ReadonlySet<string | undefined>;

/** The same numbers in each run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

async function changeRows(
  domain: Domain,
  client: number,
  customers: readonly [ReturnType<typeof customerWith>, ReturnType<typeof customerWith>],
  possible: Map<string, Possible>,
  isEnough: () => boolean,
): Promise<{ acknowledged: number; unknown: number }> {
  const random = createRandom(client + 1);
  const seen = { acknowledged: 0, unknown: 0 };
  for (let step = 0; step < STEPS || !isEnough(); step++) {
    const wanted = new Map<string, string | undefined>();
    for (let i = 0; i <= random(6); i++) {
      const { loc } = bulkyAt(client * URLS_OF_CLIENT + random(URLS_OF_CLIENT));
      const time = new Date(Date.UTC(2026, client, 1) + 1000 * step).toISOString().replace('.000', '');
      wanted.set(loc, random(3) === 0 ? undefined : time);
    }
    const body = {
      domain: domain.hostname,
      upsert: [...wanted].flatMap(([loc, lastmod]) => (lastmod === undefined ? [] : [{ loc, lastmod }])),
      remove: [...wanted].flatMap(([loc, lastmod]) => (lastmod === undefined ? [loc] : [])),
    };
    const answer = await customers[random(2)]!.call('POST /api/sitemap/delta', { body }).catch(
      () => undefined,
    );
    const isDone = answer?.status === 200;
    if (isDone) seen.acknowledged++;
    else seen.unknown++;
    for (const [loc, lastmod] of wanted) {
      possible.set(loc, new Set(isDone ? [lastmod] : [...possible.get(loc)!, lastmod]));
    }
    // A process that was just killed refuses connections at once.
    if (answer === undefined) await delay(100);
  }
  return seen;
}

/** The times of all published URLs. */
async function published({ hostname }: Domain): Promise<Map<string, string>> {
  const index = await fetchIndex({ hostingUrl }, hostname, '/sitemap-index.xml');
  const files = await Promise.all(index.map(({ path }) => fetchEntries({ hostingUrl }, hostname, path)));
  const entries = files.flat().map(({ loc, lastmod }) => [String(loc), String(lastmod ?? '')] as const);
  expect(new Set(entries.map(([loc]) => loc)).size).toBe(entries.length);
  return new Map(entries);
}

test('what was acknowledged is published, whatever process was killed', async () => {
  const first = await createCustomer(apis[0].addresses);
  const customers = [first, customerWith(apis[1].addresses, first.accountId, first.key)] as const;
  const domain = await first.verifiedDomain();
  const urls = Array.from({ length: CLIENTS * URLS_OF_CLIENT }, (_, i) => bulkyAt(i));
  await first.publish({ domain: domain.hostname, sizeLimit: 'gsc-optimized', urls });
  const possible = new Map<string, Possible>(urls.map(({ loc }) => [loc, new Set([''])]));
  const ended = new AbortController();
  let kills = 0;
  const killing = (async () => {
    for (; !ended.signal.aborted; kills++) {
      await delay(KILL_EVERY_MS);
      await apis[kills % 2]!.killAndRestart();
    }
  })();
  const results = await Promise.all(
    Array.from({ length: CLIENTS }, (_, client) =>
      changeRows(domain, client, customers, possible, () => kills >= MIN_KILLS),
    ),
  );
  ended.abort();
  await killing;
  expect(results.reduce((sum, { acknowledged }) => sum + acknowledged, 0)).toBeGreaterThan(CLIENTS * 5);
  expect(results.reduce((sum, { unknown }) => sum + unknown, 0)).toBeGreaterThan(0);
  await vi.waitFor(async () => {
    const found = await published(domain);
    const wrong = [...possible].filter(([loc, values]) => !values.has(found.get(loc)));
    expect(wrong.slice(0, 3)).toEqual([]);
    expect([...found.keys()].filter((loc) => !possible.has(loc))).toEqual([]);
  }, SOON);
});
