/**
 * Changes one in 1,000 of 10 million entries, in another order. Measures how many bytes a crawler reads to learn of these changes from the
 * recent files, and how many without: all files that changed.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { callApi, open } from '../tools/http-exchange.ts';
import type { WaypostProcess } from '../tools/waypost-process.ts';
import { BENCH_HOSTNAME, startBenchWaypost } from './bench-waypost.ts';
import type { Figure } from './figures.ts';
import { processorSeconds } from './process-usage.ts';
import { scaled } from './scale.ts';
import { measureUpload } from './unchanged.ts';
import { plainEntries, shuffledPlainEntries } from './upload-body.ts';

const ENTRIES = 10_000_000;
const EVERY = 1000;

interface Domain {
  readonly id: string;
  readonly recent: { readonly urlCount: number };
}

export async function* benchRecent(scale: number): AsyncGenerator<Figure, void, undefined> {
  const urls = scaled(ENTRIES, scale);
  await using waypost = await startBenchWaypost();
  const { apiUrl, apiKey } = waypost;
  const [{ id }] = (await callApi<[Domain]>(`${apiUrl}/api/domains`, apiKey))!;
  await measureUpload(waypost, plainEntries(urls), {});
  const compared = async () => {
    const changes = `${apiUrl}/api/domains/${id}/sitemaps/default/changes`;
    while ((await callApi<{ state: string }>(changes, apiKey)).state === 'pending') await delay(200);
  };
  await compared();
  const body = [Buffer.from('{"recent":{"enabled":true}}')];
  await callApi(`${apiUrl}/api/domains/${id}`, apiKey, { method: 'PATCH', body });
  const changed = shuffledPlainEntries(urls, (n) => n % EVERY === 0);
  const { answer } = await measureUpload(waypost, changed, {});
  const [startedAt, before] = [performance.now(), await processorSeconds(waypost.pid)];
  let domain: Domain;
  do {
    await delay(100);
    domain = await callApi<Domain>(`${apiUrl}/api/domains/${id}`, apiKey);
  } while (domain.recent.urlCount === 0);
  const expected = Math.ceil(urls / EVERY);
  if (domain.recent.urlCount !== expected) throw new Error(`${domain.recent.urlCount} recent URLs`);
  const seconds = (performance.now() - startedAt) / 1000;
  const coreSeconds = (await processorSeconds(waypost.pid)) - before;
  const name = `${expected.toLocaleString('en-US')} changes in ${urls.toLocaleString('en-US')} entries`;
  const recent = await gzipBytes(waypost, '/sitemap-recent.xml');
  yield { name, value: recent / 1e6, unit: 'MB', goal: { atMost: 0.2 } };
  yield {
    name: '… in the feed, the newest 1,000',
    value: (await gzipBytes(waypost, '/changes.atom')) / 1e6,
    unit: 'MB',
  };
  yield { name: '… files that changed', value: answer.filesChanged, unit: 'files' };
  yield { name: '… from the answer to the recent files', value: seconds, unit: 's' };
  yield { name: '… for that, with the comparison', value: coreSeconds, unit: 'core-s' };
}

async function gzipBytes({ hostingUrl }: WaypostProcess, path: string): Promise<number> {
  const headers = { Host: BENCH_HOSTNAME, 'Accept-Encoding': 'gzip' };
  const answer = await open(hostingUrl + path, { headers });
  const bytes = Buffer.concat(await answer.toArray()).length;
  if (answer.statusCode !== 200) throw new Error(`${path} is answered with ${answer.statusCode}`);
  return bytes;
}
