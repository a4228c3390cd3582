/**
 * Many clients change rows of one sitemap through two API processes, which are killed again and again. Each client knows what was
 * acknowledged: nothing of it is lost, and nothing else is published (docs/decisions/0058).
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import type { Domain } from './support/customer.ts';
import { bulkyAt } from './support/entries.ts';
import { startKilledApis } from './support/killed-apis.ts';

const CLIENTS = 8;
const URLS_OF_CLIENT = 300;
const STEPS = 40;

const apis = await startKilledApis();
afterAll(() => apis[Symbol.asyncDispose]());
const { customers, published } = apis;

/** The possible published states of a URL: the texts of `lastmod`, empty for an entry without one, and undefined if it may be missing. */
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

test('what was acknowledged is published, whatever process was killed', async () => {
  const [first] = customers;
  const domain = await first.verifiedDomain();
  const urls = Array.from({ length: CLIENTS * URLS_OF_CLIENT }, (_, i) => bulkyAt(i));
  await first.publish({ domain: domain.hostname, sizeLimit: 'gsc-optimized', urls });
  const possible = new Map<string, Possible>(urls.map(({ loc }) => [loc, new Set([''])]));
  const results = await apis.whileKilled((isEnough) =>
    Promise.all(
      Array.from({ length: CLIENTS }, (_, client) => changeRows(domain, client, possible, isEnough)),
    ),
  );
  expect(results.reduce((sum, { acknowledged }) => sum + acknowledged, 0)).toBeGreaterThan(CLIENTS * 5);
  expect(results.reduce((sum, { unknown }) => sum + unknown, 0)).toBeGreaterThan(0);
  await vi.waitFor(async () => {
    const found = await published(domain);
    const wrong = [...possible].filter(([loc, values]) => !values.has(found.get(loc)));
    expect(wrong.slice(0, 3)).toEqual([]);
    expect([...found.keys()].filter((loc) => !possible.has(loc))).toEqual([]);
  }, SOON);
});
