/** A Waypost for benchmarks: with a domain, and no rate limit in the way. */
import { generatedBody } from '../src/demo/generated-upload.ts';
import { callApi } from '../src/demo/http-exchange.ts';
import { startWaypost, type WaypostProcess } from '../src/demo/waypost-process.ts';

export const BENCH_HOSTNAME = 'bench.localhost';

export async function startBenchWaypost(): Promise<WaypostProcess> {
  const waypost = await startWaypost({ PLANS: '{"enterprise":{"requestsPerMinute":1000000}}' });
  const { apiUrl, apiKey } = waypost;
  const body = [Buffer.from(JSON.stringify({ hostname: BENCH_HOSTNAME }))];
  const { id } = await callApi<{ id: string }>(`${apiUrl}/api/domains`, apiKey, { body });
  await callApi(`${apiUrl}/api/domains/${id}/verify`, apiKey, { method: 'POST' });
  return waypost;
}

/** Uploads `body`; returns the seconds from the first byte to the answer. */
export async function uploadSeconds(
  { apiUrl, apiKey }: WaypostProcess,
  body: Iterable<Buffer>,
  urls: number,
): Promise<number> {
  const startedAt = performance.now();
  const url = `${apiUrl}/api/sitemap/generate`;
  const { urlCount } = await callApi<{ urlCount: number }>(url, apiKey, { body });
  if (urlCount !== urls) throw new Error(`${urlCount} URLs were published instead of ${urls}`);
  return (performance.now() - startedAt) / 1000;
}

export async function uploadGenerated(waypost: WaypostProcess, urls: number): Promise<number> {
  return uploadSeconds(waypost, generatedBody(BENCH_HOSTNAME, urls), urls);
}
