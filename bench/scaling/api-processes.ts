/**
 * Measures the same work by one API process with two threads, and by two processes with one thread each, over one Postgres and one store.
 * On two cores, shared with the client and Postgres, two processes cannot be faster. If two are not slower, they do not wait for a shared
 * resource.
 */
import { join } from 'node:path';
import { registerHostname, startBenchWaypost, uploadSeconds } from '../bench-waypost.ts';
import type { Figure } from '../figures.ts';
import { scaled } from '../scale.ts';
import type { ServerProcess } from '../server-process.ts';
import { startApi } from '../start-api.ts';
import { mediansInTurns } from '../statistics.ts';
import { plainEntries, uploadBody } from '../upload-body.ts';

const UPLOADS = 8;
const LARGE_URLS = 250_000;
const SMALL_URLS = 100;
/** Uploads that each uploader makes, in a row. */
const SMALL_UPLOADS = 40;
const ROUNDS = 3;

export async function* apiProcesses(scale: number): AsyncGenerator<Figure, void, undefined> {
  await using scope = new AsyncDisposableStack();
  // This Waypost provides Postgres, the store and the jobs. Its own API gets no uploads.
  const waypost = scope.use(await startBenchWaypost());
  const hostnames = Array.from({ length: UPLOADS }, (_, n) => `scaling-${n}.localhost`);
  for (const hostname of hostnames) await registerHostname(waypost, hostname);
  const storage = { STORAGE_DIR: join(waypost.dataDir, 'objects') };
  const start = async (threads: number) =>
    scope.use(await startApi(waypost, { ...storage, RENDER_THREADS: String(threads) }));
  const single = [await start(2)];
  const pair = [await start(1), await start(1)];

  const largeUrls = scaled(LARGE_URLS, scale);
  const smallUploads = Math.max(1, Math.round(SMALL_UPLOADS * scale));
  const large = plainEntries(largeUrls);
  const small = plainEntries(SMALL_URLS);
  const upload = (apis: readonly ServerProcess[], n: number, entries: Buffer, urls: number) => {
    const apiUrl = `http://127.0.0.1:${apis[n % apis.length]!.port}`;
    const members = { domain: hostnames[n]! };
    return uploadSeconds({ apiUrl, apiKey: waypost.apiKey }, uploadBody(entries, { members }), urls);
  };
  const secondsOf = async (work: (n: number) => Promise<unknown>) => {
    const startedAt = performance.now();
    await Promise.all(hostnames.map((_, n) => work(n)));
    return (performance.now() - startedAt) / 1000;
  };
  const allLarge = (apis: readonly ServerProcess[]) => () =>
    secondsOf((n) => upload(apis, n, large, largeUrls));
  const allSmall = (apis: readonly ServerProcess[]) => () =>
    secondsOf(async (n) => {
      for (let i = 0; i < smallUploads; i++) await upload(apis, n, small, SMALL_URLS);
    });
  const seconds = await mediansInTurns(ROUNDS, {
    largeByOne: allLarge(single),
    largeByTwo: allLarge(pair),
    smallByOne: allSmall(single),
    smallByTwo: allSmall(pair),
  });
  const urls = largeUrls * UPLOADS;
  const requests = smallUploads * UPLOADS;
  yield { name: `${UPLOADS} large uploads, 1 API process`, value: urls / seconds.largeByOne, unit: 'URLs/s' };
  yield { name: '  2 API processes', value: urls / seconds.largeByTwo, unit: 'URLs/s' };
  yield { name: 'uploads of 100, 1 API process', value: requests / seconds.smallByOne, unit: 'requests/s' };
  yield { name: '  2 API processes', value: requests / seconds.smallByTwo, unit: 'requests/s' };
}
