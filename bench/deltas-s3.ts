/** Measures deltas on a sitemap whose files are in an S3 store, and on one in a store that takes 10 ms longer for each request. */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { findS3Store, settingsOfS3 } from '../tools/s3-store.ts';
import { startBenchWaypost, uploadSeconds } from './bench-waypost.ts';
import { benchSizes, changedEntries } from './deltas.ts';
import type { Figure } from './figures.ts';
import { sayLoudly } from './hosting/say-loudly.ts';
import { scaled } from './scale.ts';
import { startApi } from './start-api.ts';
import { plainEntries, uploadBody } from './upload-body.ts';

const ENTRIES = 1_000_000;
const SLOWER_MS = 10;

export async function* benchDeltasOnS3(scale: number): AsyncGenerator<Figure, void, undefined> {
  await using store = await findS3Store();
  if (store === undefined) {
    sayLoudly('SKIPPED: deltas on an S3 store: apt-get install radosgw ceph-mon ceph-osd ceph-common');
    return;
  }
  const urls = scaled(ENTRIES, scale);
  const entries = plainEntries(urls);
  for (const slowerMs of [0, SLOWER_MS]) {
    await using proxy = await delayRequests(store.options.endpoint, slowerMs);
    await using waypost = await startBenchWaypost();
    const settings = { ...settingsOfS3(store.options), S3_ENDPOINT: proxy.endpoint };
    await using started = await startApi(waypost, settings);
    const { apiKey } = waypost;
    const api = { apiUrl: `http://127.0.0.1:${started.port}`, apiKey, pid: started.pid };
    const seconds = await uploadSeconds(api, uploadBody(entries), urls);
    yield { name: `upload, requests to the store ${slowerMs} ms slower`, value: seconds, unit: 's' };
    for await (const { goal: _, ...figure } of benchSizes(api, urls, changedEntries(urls), scale))
      yield figure;
  }
}

/** Passes requests on to an HTTP server, each with a delay of `ms`. */
async function delayRequests(
  origin: string,
  ms: number,
): Promise<AsyncDisposable & { readonly endpoint: string }> {
  const server = createServer(async (incoming, answer) => {
    await delay(ms);
    const { method, url, headers } = incoming;
    const passed = request(new URL(url!, origin), { method: method!, headers });
    passed.on('response', (response) => {
      answer.writeHead(response.statusCode!, response.headers);
      pipeline(response, answer).catch(() => answer.destroy());
    });
    passed.on('error', () => answer.destroy());
    pipeline(incoming, passed).catch(() => passed.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
