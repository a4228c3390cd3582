/**
 * The promise "one generation at a time". Crawlers walk from an index to its files thousands of times, while hundreds
 * of uploads replace each other behind two hosting processes.
 *
 * Two decisions define what a walk may see. The addresses of parts are stable (spec D4: /sitemap.1.xml is part 1 of
 * every upload), and a site changes by one atomic replacement of site.json. So one *answer* always belongs to one
 * generation: a whole file of one upload, its index, or an index of the domain. A *walk* is many answers, and a publish
 * may become visible between two of them. Suppose the walk holds the index of generation g:
 *
 * - A part that the newer upload has too is the whole part of the newer upload: never older than the index, never torn.
 * - A part that the newer upload lacks comes from the newest former upload that had it, for 24 hours: never a 404.
 * - If g was one file and the newer upload is many, /sitemap.xml is now their index, and the walk continues there.
 * - On every connection of a process, an answer never shows an older state than an earlier answer did.
 *
 * So "never a mix" does not mean that the walk ends with the URLs of one generation. It ends with files that are each
 * exactly what their address meant at that moment, and those moments are in order. A walk during which no publish
 * became visible has exactly the URLs of one generation, each once. `support/sitemap-history.ts` is the judge.
 *
 * The two processes learn of a change differently: one keeps site.json for a second (the default), the other asks for
 * it on each request. A second sitemap of the domain is replaced now and then, in a race with the first.
 */
import { createHash } from 'node:crypto';
import { Agent } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { freePort } from '../../tools/free-port.ts';
import { soon } from '../support/soon.ts';
import { createCustomer } from './support/customer.ts';
import { serves, startProcess } from './support/processes.ts';
import { send } from './support/send.ts';
import { type Content, indexContent, SitemapHistory, urlsContent } from './support/sitemap-history.ts';
import { storeSettings } from './support/store.ts';
import { useOwnWaypost } from './support/use-waypost.ts';

const WALKS = 2_000;
const PUBLISHES = 200;
/** The file counts of successive uploads: up, down, and across the border between one file and an index. */
const FILE_COUNTS = [4, 2, 6, 1, 3, 1, 5, 6, 2, 1];
const ROUNDS = 2;
const QUIET_WALKS = 40;
/** Every process serves a publish after this time. */
const LAG_MS = 2_000;

describe('the judge of this test', () => {
  /** Three uploads of 2, 3 and 1 files. All are acknowledged at time 0. */
  function threeUploads() {
    const history = new SitemapHistory('/sitemap');
    for (const entries of [1_500, 2_001, 7]) history.acknowledge(history.begin(entries), 0);
    return history;
  }
  const see = (
    history: SitemapHistory,
    path: string | undefined,
    content: Content,
    began = 1,
    process = 'a',
  ) => history.see({ process, path, content, began, ended: began + 1 });

  test('finds the state that an answer shows', () => {
    const history = threeUploads();
    expect(see(history, undefined, 'index of /sitemap.1.xml /sitemap.2.xml')).toBe(1);
    expect(see(history, '/sitemap.2.xml', 'urls of 1 from 1000 to 1499', 3)).toBe(1);
    expect(see(history, '/sitemap.1.xml', 'urls of 2 from 0 to 999', 5)).toBe(2);
    expect(see(history, '/sitemap.3.xml', 'urls of 2 from 2000 to 2000', 7)).toBe(2);
    expect(see(history, '/sitemap.xml', 'urls of 3 from 0 to 6', 9)).toBe(3);
    expect(see(history, '/sitemap.3.xml', 'urls of 2 from 2000 to 2000', 11)).toBe(3);
  });

  test.each<[string, string | undefined, Content]>([
    ['a file of another part', '/sitemap.1.xml', 'urls of 1 from 1000 to 1499'],
    ['a file that ends early', '/sitemap.1.xml', 'urls of 2 from 0 to 998'],
    ['a file of no upload', '/sitemap.1.xml', 'urls of 4 from 0 to 999'],
    ['an index of other parts', '/sitemap.xml', 'index of /sitemap.2.xml /sitemap.1.xml'],
    ['an index of no files', undefined, 'index of '],
    ['a missing part', '/sitemap.3.xml', '404'],
  ])('refuses %s', (_, path, content) => {
    expect(() => see(threeUploads(), path, content)).toThrow('none of');
  });

  test('refuses an older state of the same process, and of another process after the lag', () => {
    const history = threeUploads();
    see(history, '/sitemap.1.xml', 'urls of 2 from 0 to 999', 1);
    const older: Content = 'urls of 1 from 0 to 999';
    // The request of the older answer began before the other one ended. Another process may lag behind.
    expect(see(history, '/sitemap.1.xml', older, 1)).toBe(1);
    expect(see(history, '/sitemap.1.xml', older, LAG_MS, 'b')).toBe(1);
    expect(() => see(history, '/sitemap.1.xml', older, 3)).toThrow('none of');
    expect(() => see(history, '/sitemap.1.xml', older, 2 + LAG_MS + 1, 'b')).toThrow('none of');
  });

  test('refuses a state older than an acknowledgement from before the lag', () => {
    const index = 'index of /sitemap.1.xml /sitemap.2.xml';
    expect(see(threeUploads(), undefined, index, LAG_MS)).toBe(1);
    expect(() => see(threeUploads(), undefined, index, LAG_MS + 1)).toThrow('none of');
  });
});

/** Returns the content of a file, as far as a client can tell. Throws if the file is not whole. */
function readContent(xml: string): Content {
  const locs: string[] = [];
  const root = xml.replace(
    /<(url|sitemap)><loc>([^<]*)<\/loc>(?:<lastmod>[^<]*<\/lastmod>)?<\/\1>\s*/g,
    (_, _tag, loc) => {
      locs.push(loc);
      return '';
    },
  );
  const [, kind] =
    /^<\?xml version="1\.0" encoding="UTF-8"\?>\s*<\?xml-stylesheet [^<>]+\?>\s*<(urlset|sitemapindex) xmlns="[^"]+">\s*<\/\1>\s*$/.exec(
      root,
    ) ?? [];
  if (kind === 'sitemapindex') return indexContent(locs.map((loc) => new URL(loc).pathname));
  if (kind === undefined || locs.length === 0)
    throw new Error(`no whole file: ${xml.slice(0, 500)}…${xml.slice(-100)}`);
  const [, generation, first] = /\/g(\d+)\/(\d+)$/.exec(locs[0]!) ?? [];
  for (const [at, loc] of locs.entries()) {
    const wanted = url(Number(generation), Number(first) + at);
    if (loc !== wanted) throw new Error(`URL ${at} of a file is ${loc} and not ${wanted}`);
  }
  return urlsContent(Number(generation), Number(first), Number(first) + locs.length - 1);
}

function url(generation: number, n: number): string {
  return `https://www.example.com/g${generation}/${n}`;
}

function urls(generation: number, count: number) {
  return Array.from({ length: count }, (_, n) => ({ loc: url(generation, n) }));
}

const pathsOf = (index: Content) => index.split(' ').slice(2);

const waypost = await useOwnWaypost({ PLANS: '{"enterprise":{"requestsPerMinute":100000}}' });
const customer = await createCustomer(waypost);
const { hostname } = await customer.verifiedDomain();
const hostingProcesses = await Promise.all(
  [{}, { SITE_FRESH_MS: '0' }].map(async (settings) => {
    const port = String(await freePort());
    const shared = { ...storeSettings(waypost.dataDir), LOG_LEVEL: 'warn', IDLE_GRACE_MS: '0' };
    const started = startProcess('src/hosting-server.ts', {
      ...shared,
      ...settings,
      HOSTING_PORT: port,
      HOSTING_PROCESSES: '1',
    });
    return { started, origin: `http://127.0.0.1:${port}` };
  }),
);
afterAll(async () => {
  for (const { started } of hostingProcesses) {
    await started.stop();
    expect(started.stderr()).toBe('');
  }
});

const main = new SitemapHistory('/sitemap');
const other = new SitemapHistory('/sitemap-other');
const histories = [main, other];

/** Counts of events during the test. The test checks them, because a quiet run proves nothing. */
const seen = { walks: 0, quietWalks: 0, overtaken: 0, former: 0, becameIndex: 0, refused: 0 };
/** The time when the last publish was acknowledged; undefined while one may be under way. */
let quietSince: number | undefined;
let isOver = false;

/** Identical bytes are parsed once. */
const known = new Map<string, Content>();

interface Walker {
  readonly origin: string;
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string>>;
}

async function fetchContent({ origin, agent, headers }: Walker, path: string): Promise<Content> {
  const answer = await send(origin + path, { agent, headers: { Host: hostname, ...headers } });
  if (answer.status !== 200) return String(answer.status);
  const digest = createHash('sha1').update(answer.body).digest('base64');
  const isPacked = answer.headers['content-encoding'] === 'gzip';
  const content =
    known.get(digest) ?? readContent((isPacked ? gunzipSync(answer.body) : answer.body).toString());
  known.set(digest, content);
  return content;
}

/** Walks from the root through every file that it names. Returns the content of each file with URLs. */
async function walk(walker: Walker, root: string, turn: number): Promise<Content[]> {
  const states = new Map<SitemapHistory, number>();
  const found: Content[] = [];
  const judge = (history: SitemapHistory, path: string | undefined, content: Content, began: number) => {
    const ended = performance.now();
    const state = history.see({ process: walker.origin, path, content, began, ended });
    if (state > (states.get(history) ?? state)) seen.overtaken += 1;
    states.set(history, state);
    return state;
  };
  const visit = async (path: string) => {
    const began = performance.now();
    const content = await fetchContent(walker, path);
    const isIndex = content.startsWith('index of ');
    const history = histories.find((each) => each.has(path))!;
    const state = judge(history, path, content, began);
    if (!isIndex) {
      found.push(content);
      if (!content.startsWith(`urls of ${state} `)) seen.former += 1;
      return;
    }
    if (path !== root) seen.becameIndex += 1;
    for (const part of inTurn(pathsOf(content), turn)) await visit(part);
  };

  if (root !== '/sitemap-index.xml') await visit(root);
  else {
    const began = performance.now();
    const paths = pathsOf(await fetchContent(walker, root));
    for (const history of histories) {
      judge(history, undefined, indexContent(paths.filter((path) => history.has(path))), began);
    }
    for (const path of inTurn(paths, turn)) await visit(path);
  }
  return found;
}

/** Crawlers take files in any order: every other walk starts at the end. */
function inTurn(paths: readonly string[], turn: number): readonly string[] {
  return turn % 2 === 0 ? paths : paths.toReversed();
}

async function walkOn(walker: Walker): Promise<void> {
  for (let turn = 0; !isOver; turn += 1) {
    const root = turn % 3 === 2 ? '/sitemap.xml' : '/sitemap-index.xml';
    const began = performance.now();
    const found = await walk(walker, root, turn);
    seen.walks += 1;
    if (quietSince === undefined || began < quietSince + LAG_MS) continue;
    // No publish became visible: expect the newest generation of each sitemap, whole and once.
    const asked = root === '/sitemap.xml' ? [main] : histories;
    const wanted = asked.flatMap((each) =>
      each.filesAt(each.newest).map((path) => each.contentAt(each.newest, path)),
    );
    expect(found.toSorted()).toEqual(wanted.toSorted());
    seen.quietWalks += 1;
  }
}

async function publish(history: SitemapHistory, files: number): Promise<void> {
  // The last file of each upload has a different size.
  const entries = (files - 1) * 1_000 + 1 + ((history.newest * 37) % 900);
  const generation = history.begin(entries);
  const sitemapName = history === other ? { sitemapName: 'other' } : {};
  const upload = { domain: hostname, sizeLimit: 'gsc-optimized', force: true, ...sitemapName };
  await customer.publish({ ...upload, urls: urls(generation, entries) });
  history.acknowledge(generation, performance.now());
  if (generation % 10 !== 0) return;
  // An upload that is refused at its last entry never becomes visible.
  const refused = await customer.upload({ ...upload, urls: [...urls(0, 2_000), { loc: 'not a URL' }] });
  expect(refused.status).toBe(422);
  seen.refused += 1;
}

/** Replaces both sitemaps repeatedly, until there were enough publishes and enough walks meanwhile. */
async function publishRound(round: number): Promise<void> {
  const isEnough = () =>
    isOver || (main.newest >= (round / ROUNDS) * PUBLISHES && seen.walks >= (round / ROUNDS) * WALKS);
  quietSince = undefined;
  while (!isEnough()) {
    const files = FILE_COUNTS[main.newest % FILE_COUNTS.length]!;
    const both = [publish(main, files)];
    if (main.newest % 3 === 0) both.push(publish(other, 1 + (other.newest % 2)));
    await Promise.all(both);
  }
  quietSince = performance.now();
  const walksSoFar = seen.quietWalks;
  await vi.waitUntil(() => isOver || seen.quietWalks >= walksSoFar + QUIET_WALKS, soon('quiet walks'));
}

test('a crawler sees every file whole, present and in order while sitemaps are replaced', async () => {
  for (const { started, origin } of hostingProcesses) await serves(started, origin);
  for (const history of histories) await publish(history, 2);

  await using agents = new AsyncDisposableStack();
  const walkers = hostingProcesses.flatMap(({ origin }) =>
    ['gzip', 'identity'].map((encoding) => {
      const agent = agents.adopt(new Agent({ keepAlive: true, maxSockets: 1 }), (each) => each.destroy());
      return { origin, agent, headers: { 'Accept-Encoding': encoding } };
    }),
  );
  const publishRounds = async () => {
    for (let round = 1; round <= ROUNDS; round += 1) await publishRound(round);
  };
  // The first task to end, by an error or because all is done, ends the others.
  const ended = await Promise.allSettled(
    [publishRounds(), ...walkers.map(walkOn)].map((task) =>
      task.finally(() => {
        isOver = true;
      }),
    ),
  );
  for (const each of ended) if (each.status === 'rejected') throw each.reason;

  expect(main.newest).toBeGreaterThanOrEqual(PUBLISHES);
  expect(seen.walks).toBeGreaterThanOrEqual(WALKS);
  for (const count of Object.values(seen)) expect(count, JSON.stringify(seen)).toBeGreaterThan(0);
});
