/**
 * Measures hostile clients beside honest ones. Each attack has servers of its own. We measure the cost to the server and the delay of
 * honest clients. Servers run on one core, and honest clients and attackers on the other. An all-in-one program runs on both.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publishAttacked, RANDOM, REPEATED } from './attacks/attacked-files.ts';
import { bytewiseFiles, endlessHints } from './attacks/costly-answers.ts';
import { halfHandshakes } from './attacks/half-handshakes.ts';
import { headers } from './attacks/headers.ts';
import { idleConnections } from './attacks/idle-connections.ts';
import { manyCertificates } from './attacks/many-certificates.ts';
import { oneByteRanges } from './attacks/one-byte-ranges.ts';
import { pipelining } from './attacks/pipelining.ts';
import { randomHosts } from './attacks/random-hosts.ts';
import { randomNames } from './attacks/random-names.ts';
import { readerMemory } from './attacks/reader-memory.ts';
import { secureSite } from './attacks/secure-site.ts';
import { slowLists } from './attacks/slow-lists.ts';
import { slowReaders } from './attacks/slow-readers.ts';
import { wrongKeys } from './attacks/wrong-keys.ts';
import type { Figure } from './figures.ts';
import { publishSites } from './hosting/publish-sites.ts';

const COLD_SITES = 30;

export async function* benchAttacks(scale: number): AsyncGenerator<Figure, void, undefined> {
  await using scope = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'waypost-attacks-bench-'));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  const objects = join(folder, 'objects');
  const sites = await publishSites(objects, Math.max(2, Math.ceil(COLD_SITES * scale)), async (waypost) => {
    await publishAttacked(waypost, REPEATED, scale);
    await publishAttacked(waypost, RANDOM, scale);
  });

  yield* pipelining(objects, scale);
  yield* headers(objects, scale);
  yield* randomHosts(sites, scale);
  yield* wrongKeys(scale);
  yield* endlessHints(scale);
  yield* bytewiseFiles(scale);
  yield* slowLists(scale);
  yield* oneByteRanges(objects, scale);
  yield* slowReaders(scale);
  yield* idleConnections(objects, scale);
  yield* readerMemory(objects, scale);
  const site = await secureSite(objects);
  yield* randomNames(site, scale);
  yield* halfHandshakes(site, scale);
  yield* manyCertificates(objects, folder, scale);
}
