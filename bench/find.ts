/** Looks for single URLs among 60 million of an account, in six sitemaps, once their indexes are made. */
import { setTimeout as delay } from 'node:timers/promises';
import { generatedEntry } from '../tools/generated-upload.ts';
import { callApi } from '../tools/http-exchange.ts';
import type { WaypostProcess } from '../tools/waypost-process.ts';
import { startBenchWaypost, uploadSeconds } from './bench-waypost.ts';
import type { Figure } from './figures.ts';
import { scaled } from './scale.ts';
import { percentile } from './statistics.ts';
import { joinedTexts, uploadBody } from './upload-body.ts';

const SITEMAPS = 6;
const URLS = 60_000_000;
const LOOKS = 100;
const MAX_INDEXING_MS = 15 * 60_000;

interface Answer {
  readonly found: boolean;
  readonly complete: boolean;
}

export async function* benchFind(scale: number): AsyncGenerator<Figure, void, undefined> {
  const each = scaled(URLS / SITEMAPS, scale);
  const urls = SITEMAPS * each;
  await using waypost = await startBenchWaypost();
  for (let n = 0; n < SITEMAPS; n++) {
    const entries = joinedTexts(each, (i) => JSON.stringify(generatedEntry(n * each + i)));
    await uploadSeconds(waypost, uploadBody(entries, { members: { sitemapName: `part-${n}` } }), each);
  }
  const absent = (i: number) => `https://www.example.com/absent/${i}`;
  const startedAt = performance.now();
  for (let i = 0; !(await find(waypost, absent(-i))).complete; i++) {
    if (performance.now() - startedAt > MAX_INDEXING_MS) throw new Error('the indexes are not made');
    await delay(500);
  }
  const count = urls.toLocaleString('en-US');
  const seconds = (performance.now() - startedAt) / 1000;
  yield { name: `${count} URLs, from the last answer to their indexes`, value: seconds, unit: 's' };
  const kinds = {
    'a URL that is there': (i: number) => generatedEntry((i * 7_368_787) % urls).loc,
    'a URL that is not there': absent,
  };
  for (const [kind, urlOf] of Object.entries(kinds)) {
    const times: number[] = [];
    for (let i = 0; i < LOOKS; i++) {
      const lookedAt = performance.now();
      const { found, complete } = await find(waypost, urlOf(i));
      times.push(performance.now() - lookedAt);
      if (found !== (urlOf !== absent) || !complete) throw new Error(`${urlOf(i)}: found is ${found}`);
    }
    yield { name: `${kind}, p50 of ${LOOKS}`, value: percentile(times, 50), unit: 'ms' };
    yield { name: '… p99', value: percentile(times, 99), unit: 'ms', goal: { atMost: 500 } };
  }
}

const find = ({ apiUrl, apiKey }: WaypostProcess, url: string): Promise<Answer> =>
  callApi<Answer>(`${apiUrl}/api/find?${new URLSearchParams({ url })}`, apiKey);
