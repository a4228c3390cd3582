/** Two API processes on one backend, which are killed in turn while a test works with both. Jobs and hosting live on. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { freePort } from '../../../tools/free-port.ts';
import { fetchEntries, fetchIndex } from './crawler.ts';
import { type Customer, createCustomer, customerWith, type Domain } from './customer.ts';
import { serves, startProcess } from './processes.ts';
import { addressesOf, openBackend } from './separate-waypost.ts';
import { startKillable } from './start-killable.ts';
import { createFolder } from './waypost.ts';

const KILL_EVERY_MS = 1500;
/** A quiet run proves nothing. */
const MIN_KILLS = 4;

export interface KilledApis extends AsyncDisposable {
  /** One account, which calls the first API and the second one. */
  readonly customers: readonly [Customer, Customer];
  /** Kills one process after the other until `work` ends. `isEnough` says whether that happened often enough. */
  whileKilled<T>(work: (isEnough: () => boolean) => Promise<T>): Promise<T>;
  /** The times of all published URLs, empty for an entry without one. No URL is published twice. */
  published(domain: Domain): Promise<Map<string, string>>;
}

export async function startKilledApis(): Promise<KilledApis> {
  await using scope = new AsyncDisposableStack();
  const { path: dataDir } = scope.use(await createFolder());
  const { settings, dns } = await openBackend(dataDir);
  scope.use(dns);
  const shared = {
    ...settings,
    PUBLIC_ORIGIN: 'http://{hostname}',
    PLANS: '{"enterprise":{"requestsPerMinute":1000000}}',
  };
  const hostingPort = await freePort();

  async function startApi() {
    const port = await freePort();
    const addresses = { dataDir, dns, ...addressesOf(port, hostingPort) };
    const environment = { ...shared, API_PORT: String(port) };
    const killAndRestart = await startKillable(scope, 'src/api-server.ts', environment, addresses.apiUrl);
    return { addresses, killAndRestart };
  }

  const apis = [await startApi(), await startApi()] as const;
  const { hostingUrl } = apis[0].addresses;
  scope.use(startProcess('src/job-runner.ts', shared));
  const hosting = scope.use(
    startProcess('src/hosting-server.ts', { ...shared, HOSTING_PORT: String(hostingPort), DATABASE_URL: '' }),
  );
  await serves(hosting, hostingUrl);
  const first = await createCustomer(apis[0].addresses);
  const customers = [first, customerWith(apis[1].addresses, first.accountId, first.key)] as const;
  const whole = scope.move();

  return {
    customers,
    async whileKilled(work) {
      const ended = new AbortController();
      let kills = 0;
      const killing = (async () => {
        for (; !ended.signal.aborted; kills++) {
          await delay(KILL_EVERY_MS);
          await apis[kills % 2]!.killAndRestart();
        }
      })();
      try {
        return await work(() => kills >= MIN_KILLS);
      } finally {
        ended.abort();
        await killing;
      }
    },
    async published({ hostname }) {
      const index = await fetchIndex({ hostingUrl }, hostname, '/sitemap-index.xml');
      const files = await Promise.all(index.map(({ path }) => fetchEntries({ hostingUrl }, hostname, path)));
      const entries = files.flat().map(({ loc, lastmod }) => [String(loc), String(lastmod ?? '')] as const);
      expect(new Set(entries.map(([loc]) => loc)).size).toBe(entries.length);
      return new Map(entries);
    },
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  };
}
