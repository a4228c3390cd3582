/** The cost of the dashboard: uploads beside 200 open pages, and the first paint on a slow network and processor. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { open } from '../tools/http-exchange.ts';
import type { WaypostProcess } from '../tools/waypost-process.ts';
import { startBenchWaypost, uploadSeconds } from './bench-waypost.ts';
import type { Figure } from './figures.ts';
import { scaled } from './scale.ts';
import { inTurns, median } from './statistics.ts';
import { plainEntries, uploadBody } from './upload-body.ts';

const PROJECT = join(import.meta.dirname, '..');
const URLS = 10_000_000;
/** The upload repeats this many entries. */
const ENTRIES = 1_000_000;
const ROUNDS = 5;
const PAGES = 200;
/** The intervals at which pages ask, while somebody else's upload is under way and at rest. */
const UPLOADING_MS = 3000;
const AT_REST_MS = 15_000;
/** Chromium's "Slow 4G", with a quarter of the processor's speed. */
const SLOW_4G = { offline: false, latency: 562.5, downloadThroughput: 180_000, uploadThroughput: 84_375 };
const SLOWER = 4;
const PAINTS = 5;

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
  yield {
    name: 'first paint of the overview, slow 4G and a quarter of the processor',
    value: median(await paintSeconds(waypost)),
    unit: 's',
    goal: { atMost: 1.5 },
  };
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

async function get<Data>(url: string, Cookie: string): Promise<Data> {
  const answer = await open(url, { headers: { Cookie } });
  const text = Buffer.concat(await answer.toArray()).toString();
  if (answer.statusCode !== 200) throw new Error(`${url} answers ${answer.statusCode}: ${text}`);
  return JSON.parse(text).data;
}

/** Signs in, and returns the cookie of the session. */
async function signIn(waypost: WaypostProcess): Promise<string> {
  const { origin, hash } = new URL(await newLink(waypost));
  const body = [Buffer.from(JSON.stringify({ token: hash.slice(1) }))];
  const headers = { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' };
  const answer = await open(`${origin}/auth/link`, { headers, body });
  await answer.toArray();
  return answer.headers['set-cookie']![0]!.split(';')[0]!;
}

async function newLink({ dataDir }: WaypostProcess): Promise<string> {
  const env = { ...process.env, DATA_DIR: dataDir };
  const args = ['src/cli.ts', 'sign-in'];
  return (await promisify(execFile)(process.execPath, args, { cwd: PROJECT, env })).stdout.trim();
}

/** Seconds until the first paint. Each page load has an empty cache. */
async function paintSeconds(waypost: WaypostProcess): Promise<number[]> {
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
      await devTools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
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
