/**
 * Clients read a large file from an S3 store slowly. Meanwhile sites are published, and others are requested for the first time. A real API
 * publishes into the same store. It uses the Postgres of an all-in-one program that gets no uploads.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { findS3Store, settingsOfS3 } from '../../tools/s3-store.ts';
import { BENCH_HOSTNAME, registerHostname, startBenchWaypost, uploadSeconds } from '../bench-waypost.ts';
import type { Figure } from '../figures.ts';
import { onClientCore } from '../hosting/cores.ts';
import { LeanConnection, requestFor } from '../hosting/lean-connection.ts';
import { sayLoudly } from '../hosting/say-loudly.ts';
import { startHosting } from '../hosting/start-hosting.ts';
import { startApi } from '../start-api.ts';
import { plainEntries, uploadBody } from '../upload-body.ts';
import { pathOfAttacked, publishAttacked, RANDOM } from './attacked-files.ts';
import { holdConnections } from './attackers.ts';
import { askForColdSites } from './cold-sites.ts';
import { secondsUntilVisible } from './until-visible.ts';

const CONNECTIONS = 200;
const OPEN_PER_SECOND = 25;
const READ_BYTES_PER_SECOND = 4096;
const COLD_SITES = 30;
const PUBLISHES = 5;
const NEWS = 'news.localhost';
const PATH = '/sitemap.xml';

export async function* slowReaders(scale: number): AsyncGenerator<Figure, void, undefined> {
  await using store = await findS3Store();
  if (store === undefined) {
    sayLoudly('SKIPPED: slow readers of an S3 store: apt-get install radosgw ceph-mon ceph-osd ceph-common');
    return;
  }
  await using waypost = await startBenchWaypost();
  await using api = await startApi(waypost, settingsOfS3(store.options));
  const uploader = { apiUrl: `http://127.0.0.1:${api.port}`, apiKey: waypost.apiKey };
  const publish = async (domain: string, urls: number) => {
    await uploadSeconds(uploader, uploadBody(plainEntries(urls), { members: { domain } }), urls);
  };
  const coldSites = Array.from({ length: Math.ceil(COLD_SITES * scale) }, (_, n) => `cold-${n}.localhost`);
  for (const hostname of [NEWS, ...coldSites]) {
    await registerHostname(waypost, hostname);
    await publish(hostname, 1);
  }
  await publishAttacked(uploader, RANDOM, Math.max(0.2, scale));

  await using hosting = await startHosting(settingsOfS3(store.options));
  const { port } = hosting;
  // Load the site into hosting's memory: only a site in memory can become stale.
  using crawler = await LeanConnection.open(port);
  await crawler.get(requestFor(NEWS, PATH));
  const connections = Math.ceil(CONNECTIONS * scale);
  await using attacker = await holdConnections(
    {
      port,
      connections,
      openPerSecond: OPEN_PER_SECOND,
      addresses: CONNECTIONS,
      request: requestFor(BENCH_HOSTNAME, pathOfAttacked(RANDOM)),
      readBytesPerSecond: READ_BYTES_PER_SECOND,
    },
    onClientCore,
  );
  await delay((1000 * connections) / OPEN_PER_SECOND / 2);
  const asking = askForColdSites(port, coldSites, PATH);
  const seconds: number[] = [];
  for (let n = 0; n < Math.ceil(PUBLISHES * scale); n++) {
    // The number of URLs identifies the generation.
    const urls = 100 * (n + 1);
    await publish(NEWS, urls);
    seconds.push(await secondsUntilVisible(port, NEWS, PATH, urls));
  }
  const { percentServed, slowestMs } = await asking;
  const name = `${connections} slow readers of S3: a publish is visible after, at most`;
  yield { name, value: Math.max(...seconds), unit: 's', goal: { atMost: 2 } };
  yield { name: '  cold sites served', value: percentServed, unit: '%', goal: { atLeast: 100 } };
  yield { name: '  the slowest', value: slowestMs, unit: 'ms' };
  yield { name: '  slow readers at the end', value: attacker.report().connected, unit: '' };
  yield { name: '  … cut off', value: attacker.report().cut, unit: '' };
}
