/** Starts a Waypost for benchmarks, with a domain and without the limits of a plan. */
import { callApi } from '../tools/http-exchange.ts';
import { startWaypost, type WaypostProcess } from '../tools/waypost-process.ts';

export const BENCH_HOSTNAME = 'bench.localhost';

/** Settings that lift the limits that a benchmark would hit. */
export const NO_LIMITS = {
  PLANS: '{"enterprise":{"requestsPerMinute":1000000,"domains":10000}}',
  UPLOADS_PER_ACCOUNT: '1000',
  API_CONNECTIONS_PER_CLIENT: '2000',
  // With this timeout, a stall of the database is a slow answer instead of an error.
  DATABASE_TIMEOUT_MS: '30000',
};

export async function startBenchWaypost(
  settings: Readonly<Record<string, string>> = {},
): Promise<WaypostProcess> {
  const waypost = await startWaypost({ ...settings, ...NO_LIMITS });
  await registerHostname(waypost, BENCH_HOSTNAME);
  return waypost;
}

export async function registerHostname({ apiUrl, apiKey }: WaypostProcess, hostname: string): Promise<void> {
  const body = [Buffer.from(JSON.stringify({ hostname }))];
  const { id } = await callApi<{ id: string }>(`${apiUrl}/api/domains`, apiKey, { body });
  await callApi(`${apiUrl}/api/domains/${id}/verify`, apiKey, { method: 'POST' });
  // Benchmarks upload different sizes to one sitemap, so the guard must not hold an upload that shrinks it.
  const settings = [Buffer.from(JSON.stringify({ guard: { maxRemovedPercent: null } }))];
  await callApi(`${apiUrl}/api/domains/${id}`, apiKey, { method: 'PATCH', body: settings });
}

/** The head of an upload whose body is not JSON, or whose members are in the query. */
export interface UploadHead {
  readonly contentType: string;
  /** The query with its question mark, or an empty text. */
  readonly query: string;
}

const JSON_HEAD: UploadHead = { contentType: 'application/json', query: '' };

/** Uploads `body`; returns the seconds from the first byte to the answer. */
export async function uploadSeconds(
  { apiUrl, apiKey }: Pick<WaypostProcess, 'apiUrl' | 'apiKey'>,
  body: Iterable<Buffer>,
  urls: number,
  { contentType, query }: UploadHead = JSON_HEAD,
): Promise<number> {
  const startedAt = performance.now();
  const url = `${apiUrl}/api/sitemap/generate${query}`;
  const headers = { 'Content-Type': contentType };
  const { urlCount } = await callApi<{ urlCount: number }>(url, apiKey, { body, headers });
  if (urlCount !== urls) throw new Error(`${urlCount} URLs were published instead of ${urls}`);
  return (performance.now() - startedAt) / 1000;
}
