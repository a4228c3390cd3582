/** Measures the cost of the dashboard: uploads beside 200 open pages, a poll, and the first paint on a slow network and processor. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { open } from '../tools/http-exchange.ts';
import type { WaypostProcess } from '../tools/waypost-process.ts';
import { startBenchWaypost, uploadSeconds } from './bench-waypost.ts';
import type { Figure } from './figures.ts';
import { descendantSeconds, processorSeconds } from './process-usage.ts';
import { scaled } from './scale.ts';
import { inTurns, median } from './statistics.ts';
import { plainEntries, uploadBody } from './upload-body.ts';

const PROJECT = join(import.meta.dirname, '..');
const URLS = 10_000_000;
/** The upload repeats this many entries. */
const ENTRIES = 1_000_000;
const ROUNDS = 5;
const PAGES = 200;
/** The intervals at which pages poll: while another person's upload is under way, and at rest. */
const UPLOADING_MS = 5000;
const AT_REST_MS = 15_000;
/** Chromium's "Slow 4G". */
const SLOW_4G = { offline: false, latency: 562.5, downloadThroughput: 180_000, uploadThroughput: 84_375 };
const PAINTS = 5;
/** The rate of polls of 665 pages during an upload, or of 2,000 at rest. */
const POLLS_PER_SECOND = 133;
const POLL_SECONDS = 30;
const POLLERS = 20;

export async function* benchDashboard(scale: number): AsyncGenerator<Figure, void, undefined> {
  const entries = scaled(ENTRIES, scale);
  const repeat = URLS / ENTRIES;
  const texts = plainEntries(entries);
  await using waypost = await startBenchWaypost({ DASHBOARD_REQUESTS_PER_MINUTE: '1000000' });
  const cookie = await signIn(waypost);
  const upload = () => uploadSeconds(waypost, uploadBody(texts, { repeat }), entries * repeat);
  await upload();
  let answers = 0;
  const seconds = await inTurns(ROUNDS, {
    alone: upload,
    beside: async () => {
      const pages = openPages(waypost, cookie);
      try {
        return await upload();
      } finally {
        answers += await pages.close();
      }
    },
  });
  const [alone, beside] = [median(seconds.alone), median(seconds.beside)];
  yield { name: `an upload of ${(entries * repeat).toLocaleString('en-US')} URLs`, value: alone, unit: 's' };
  yield { name: `… beside ${PAGES} open dashboards`, value: beside, unit: 's' };
  yield { name: '… ÷ alone', value: beside / alone, unit: 'x', goal: { atMost: 1.05 } };
  yield { name: '… answers to a dashboard in each', value: answers / ROUNDS / PAGES, unit: 'answers' };
  const poll = await pollCost(waypost, Math.max(1, POLL_SECONDS * scale));
  yield { name: 'processor time of a poll, the API', value: 1000 * poll.own, unit: 'ms' };
  yield { name: '… Postgres', value: 1000 * poll.postgres, unit: 'ms' };
  const paint = async (slower: number) => ({ value: median(await paintSeconds(waypost, slower)), unit: 's' });
  yield { name: 'first paint of the overview, slow 4G', ...(await paint(1)), goal: { atMost: 1.1 } };
  yield { name: '… and a quarter of the processor', ...(await paint(4)), goal: { atMost: 1.5 } };
}

/** Opens pages that poll for uploads. Their requests are spread over the interval, as for pages of different people. */
function openPages({ apiUrl }: WaypostProcess, cookie: string) {
  const end = new AbortController();
  const ask = async (page: number) => {
    await delay((page / PAGES) * UPLOADING_MS, undefined, { signal: end.signal });
    for (let answers = 1; ; answers++) {
      const { running } = await get<{ running: unknown[] }>(`${apiUrl}/dashboard/api/live`, cookie);
      if (end.signal.aborted) return answers;
      const pause = running.length > 0 ? UPLOADING_MS : AT_REST_MS;
      const isOver = await delay(pause, false, { signal: end.signal }).catch(() => true);
      if (isOver) return answers;
    }
  };
  const pages = Array.from({ length: PAGES }, (_, page) => ask(page).catch(() => 0));
  return {
    /** Returns the number of all answers. */
    async close() {
      end.abort();
      return (await Promise.all(pages)).reduce((sum, answers) => sum + answers, 0);
    },
  };
}

/**
 * Returns the processor seconds that one poll adds: those of some time with polls, minus those of the same time without polls, divided by
 * the polls. Each poller has a session of its own.
 */
async function pollCost(waypost: WaypostProcess, seconds: number) {
  const { apiUrl, pid } = waypost;
  const cookies: string[] = [];
  for (let poller = 0; poller < POLLERS; poller++) {
    const cookie = await signIn(waypost);
    // The first lookup of a session waits for its turn.
    await get(`${apiUrl}/dashboard/api/live`, cookie);
    cookies.push(cookie);
  }
  const used = async () => [await processorSeconds(pid), await descendantSeconds(pid)] as const;
  const during = async (work: Promise<unknown>) => {
    const before = await used();
    await work;
    const after = await used();
    return { own: after[0] - before[0], postgres: after[1] - before[1] };
  };
  const rest = await during(delay(seconds * 1000));
  const polls = Math.round(seconds * POLLS_PER_SECOND);
  const asked = async () => {
    const beganAt = performance.now();
    const answers: Promise<unknown>[] = [];
    for (let poll = 0; poll < polls; poll++) {
      const dueAt = beganAt + (1000 * poll) / POLLS_PER_SECOND;
      if (dueAt > performance.now()) await delay(dueAt - performance.now());
      answers.push(get(`${apiUrl}/dashboard/api/live`, cookies[poll % POLLERS]!));
    }
    await Promise.all(answers);
  };
  const busy = await during(asked());
  return { own: (busy.own - rest.own) / polls, postgres: (busy.postgres - rest.postgres) / polls };
}

async function get<Data>(url: string, Cookie: string): Promise<Data> {
  const answer = await open(url, { headers: { Cookie } });
  const text = Buffer.concat(await answer.toArray()).toString();
  if (answer.statusCode !== 200) throw new Error(`${url} answers ${answer.statusCode}: ${text}`);
  return JSON.parse(text).data;
}

/** Signs in, and returns the cookie of the session. Waits if the limit of ten links a minute is reached. */
async function signIn(waypost: WaypostProcess): Promise<string> {
  const { origin, hash } = new URL(await newLink(waypost));
  const body = [Buffer.from(JSON.stringify({ token: hash.slice(1) }))];
  const headers = { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' };
  for (;;) {
    const answer = await open(`${origin}/auth/link`, { headers, body });
    await answer.toArray();
    if (answer.statusCode !== 429) return answer.headers['set-cookie']![0]!.split(';')[0]!;
    await delay(1000 * Number(answer.headers['retry-after']));
  }
}

async function newLink({ dataDir }: WaypostProcess): Promise<string> {
  const env = { ...process.env, DATA_DIR: dataDir };
  const args = ['src/cli.ts', 'sign-in'];
  return (await promisify(execFile)(process.execPath, args, { cwd: PROJECT, env })).stdout.trim();
}

/** Seconds until the first paint. Each page load has an empty cache. `slower`: the divisor of the processor's speed. */
async function paintSeconds(waypost: WaypostProcess, slower: number): Promise<number[]> {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  const paints: number[] = [];
  try {
    for (let paint = 0; paint < PAINTS; paint++) {
      const page = await (await browser.newContext()).newPage();
      await page.goto(await newLink(waypost));
      await page.waitForURL(`${waypost.apiUrl}/dashboard`);
      const devTools = await page.context().newCDPSession(page);
      await devTools.send('Network.enable');
      await devTools.send('Network.setCacheDisabled', { cacheDisabled: true });
      await devTools.send('Network.emulateNetworkConditions', SLOW_4G);
      await devTools.send('Emulation.setCPUThrottlingRate', { rate: slower });
      await page.reload({ waitUntil: 'networkidle' });
      paints.push(
        await page.evaluate<number>(
          `performance.getEntriesByName('first-contentful-paint')[0].startTime / 1000`,
        ),
      );
      await page.context().close();
    }
  } finally {
    await browser.close();
  }
  return paints;
}
