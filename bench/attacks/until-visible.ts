/** Measures the time from the answer to an upload until hosting shows the upload. */
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { open } from '../../tools/http-exchange.ts';

const INTERVAL_MS = 50;
/** A longer time misses every goal, so the wait ends. */
const PATIENCE_MS = 10_000;

/** Waits until the sitemap has `urls` entries, and returns the seconds. Gives up after PATIENCE_MS. */
export async function secondsUntilVisible(
  port: number,
  hostname: string,
  path: string,
  urls: number,
): Promise<number> {
  const startedAt = performance.now();
  const deadline = AbortSignal.timeout(PATIENCE_MS);
  while (!deadline.aborted && (await countUrls(port, hostname, path, deadline)) !== urls) {
    await delay(INTERVAL_MS);
  }
  return (performance.now() - startedAt) / 1000;
}

/** Returns undefined unless the status is 200. */
async function countUrls(port: number, hostname: string, path: string, signal: AbortSignal) {
  const headers = { Host: hostname, 'Accept-Encoding': 'gzip' };
  const aborted = new Promise<undefined>((resolve) =>
    signal.addEventListener('abort', () => resolve(undefined)),
  );
  const ask = async () => {
    const answer = await open(`http://127.0.0.1:${port}${path}`, { headers });
    const body = Buffer.concat(await answer.toArray());
    if (answer.statusCode !== 200) return undefined;
    return gunzipSync(body).toString().split('<loc>').length - 1;
  };
  return Promise.race([ask().catch(() => undefined), aborted]);
}
