/** Rolls a sitemap of 10 million URLs back to a former generation, while a crawler reads it. */
import { callApi, open } from '../tools/http-exchange.ts';
import type { WaypostProcess } from '../tools/waypost-process.ts';
import { BENCH_HOSTNAME, startBenchWaypost, uploadSeconds } from './bench-waypost.ts';
import type { Figure } from './figures.ts';
import { scaled } from './scale.ts';
import { median } from './statistics.ts';
import { plainEntries, uploadBody } from './upload-body.ts';

const URLS = 10_000_000;
/** The upload repeats this many entries. */
const ENTRIES = 1_000_000;
const ROUNDS = 10;
/** Entries per file. The sitemap has 1,000 files with one size, and 10,000 with the other. */
const SIZES = { balanced: 10_000, 'gsc-optimized': 1_000 } as const;

export async function* benchRollback(scale: number): AsyncGenerator<Figure, void, undefined> {
  const entries = scaled(ENTRIES, scale);
  const urls = (URLS / ENTRIES) * entries;
  await using waypost = await startBenchWaypost();
  const [{ id }] = await callApi<[{ id: string }]>(`${waypost.apiUrl}/api/domains`, waypost.apiKey);
  const texts = plainEntries(entries);
  const changed = Buffer.from(
    texts.toString('latin1').replaceAll('"lastmod":"20', '"lastmod":"19'),
    'latin1',
  );
  for (const [sizeLimit, perFile] of Object.entries(SIZES)) {
    const files = Math.ceil(urls / perFile);
    for (const generation of [texts, changed]) {
      const body = uploadBody(generation, { repeat: urls / entries, members: { sizeLimit } });
      await uploadSeconds(waypost, body, urls);
    }
    const { seconds, answers } = await rollBackAndForth(waypost, id, files);
    yield {
      name: `a rollback of ${urls.toLocaleString('en-US')} URLs in ${files.toLocaleString('en-US')} files`,
      value: median(seconds),
      unit: 's',
      goal: { atMost: 1 },
    };
    yield { name: '… the slowest', value: Math.max(...seconds), unit: 's' };
    yield {
      name: '… answers to a crawler meanwhile, each of one generation or the other',
      value: answers,
      unit: 'answers',
    };
  }
}

async function rollBackAndForth(waypost: WaypostProcess, domainId: string, files: number) {
  const sitemap = `${waypost.apiUrl}/api/domains/${domainId}/sitemaps/default`;
  const [live] = await callApi<[{ generation: number }]>(`${sitemap}/generations`, waypost.apiKey);
  const rollBack = (generation: number) => {
    const body = [Buffer.from(JSON.stringify({ generation }))];
    return callApi(`${sitemap}/rollback`, waypost.apiKey, { body });
  };
  const path = `/sitemap.${Math.ceil(files / 2)}.xml`;
  const both = [await etagOf(waypost, path)];
  await rollBack(live.generation - 1);
  both.push(await etagOf(waypost, path, both[0]));
  let isOver = false;
  let answers = 0;
  const crawl = async () => {
    for (; !isOver; answers++) {
      const etag = await etagOf(waypost, path);
      if (!both.includes(etag)) throw new Error(`${path} has ${etag}, and not one of ${both.join(' ')}`);
    }
  };
  const crawler = crawl();
  const seconds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    await rollBack(live.generation - (round % 2));
    seconds.push((performance.now() - startedAt) / 1000);
  }
  isOver = true;
  await crawler;
  return { seconds, answers };
}

/** Returns the entity tag of a file that must exist. Asks again until the tag differs from `former`. */
async function etagOf({ hostingUrl }: WaypostProcess, path: string, former?: string): Promise<string> {
  for (;;) {
    const headers = { Host: BENCH_HOSTNAME, 'Accept-Encoding': 'gzip' };
    const answer = await open(hostingUrl + path, { headers });
    await answer.toArray();
    if (answer.statusCode !== 200) throw new Error(`${path} answers ${answer.statusCode}`);
    if (answer.headers.etag !== former) return String(answer.headers.etag);
  }
}
